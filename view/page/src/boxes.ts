// Boxes of the flame graph: nodes by depth, as wide as their share.
import { Profile } from './profile'
import { children } from './frames'

/** Boxes ordered by depth and x. The numbers of one box have the same index. */
export interface Boxes {
  x: number[]; width: number[]; depth: number[]
  node: number[]      // of the tree; of a leaf-up graph one of its nodes; -1: smaller boxes
  row: number[]       // index in the tree's names; -1: root or smaller boxes
  total: number[]
  smaller: number[]   // number of smaller boxes of a box with node -1
  rows: number[][]    // indexes of the boxes of each depth, by x
}

const narrowest = 0.5  // px

export function empty(): Boxes {
  return { x: [], width: [], depth: [], node: [], row: [], total: [], smaller: [], rows: [] }
}

export function add(b: Boxes, depth: number, x: number, width: number, node: number, row: number, total: number, smaller = 0) {
  const index = b.x.push(x) - 1
  b.width.push(width)
  b.depth.push(depth)
  b.node.push(node)
  b.row.push(row)
  b.total.push(total)
  b.smaller.push(smaller)
  while (b.rows.length <= depth) b.rows.push([])
  b.rows[depth].push(index)
}

/** Part of a level: a box whose children follow. */
interface Open<T> { x: number; of: T }

/** Returns the boxes below a node of the tree; the node's ancestors are rows above it. */
export function rootDown(p: Profile, root: number, width: number): Boxes {
  const b = empty(), { tree } = p, { child, next } = children(tree.parent), path: number[] = []
  for (let node = root; node >= 0; node = tree.parent[node]) path.unshift(node)
  path.forEach((node, depth) => add(b, depth, 0, width, node, tree.row[node], p.total[node]))
  const scale = p.total[root] > 0 ? width / p.total[root] : 0
  let level: Open<number>[] = [{ x: 0, of: root }]
  for (let depth = path.length; level.length > 0; depth++) {
    const below: Open<number>[] = []
    for (const open of level) {
      const list: number[] = []
      for (let node = child[open.of]; node > 0; node = next[node]) if (p.total[node] > 0) list.push(node)
      list.sort((a, c) => p.total[c] - p.total[a] || a - c)
      let x = open.x, rest = 0, count = 0
      for (const node of list) {
        const w = p.total[node] * scale
        if (w < narrowest) {
          rest += p.total[node]
          count++
          continue
        }
        add(b, depth, x, w, node, tree.row[node], p.total[node])
        below.push({ x, of: node })
        x += w
      }
      if (rest * scale >= narrowest) add(b, depth, x, rest * scale, -1, -1, rest, count)
    }
    level = below
  }
  return b
}

/** Samples of a box of the leaf-up graph: where their stacks continue. */
interface Ends { node: number[]; value: number[] }

/** Returns the boxes of callers below each method, level by level. */
export function leafUp(p: Profile, width: number): Boxes {
  const b = empty(), { tree } = p, scale = p.sum > 0 ? width / p.sum : 0
  add(b, 0, 0, width, 0, -1, p.sum)
  const first: Ends = { node: [], value: [] }
  for (let node = 1; node < tree.parent.length; node++) {
    if (p.self[node] > 0) {
      first.node.push(node)
      first.value.push(p.self[node])
    }
  }
  let level: Open<Ends>[] = [{ x: 0, of: first }]
  for (let depth = 1; level.length > 0; depth++) {
    const below: Open<Ends>[] = []
    for (const open of level) {
      const groups = new Map<number, Ends & { sum: number }>()
      open.of.node.forEach((node, i) => {
        if (node === 0) return
        let g = groups.get(tree.row[node])
        if (!g) groups.set(tree.row[node], g = { node: [], value: [], sum: 0 })
        g.node.push(node)
        g.value.push(open.of.value[i])
        g.sum += open.of.value[i]
      })
      let x = open.x, rest = 0, count = 0
      for (const [row, g] of [...groups].sort((a, c) => c[1].sum - a[1].sum || a[0] - c[0])) {
        if (g.sum * scale < narrowest) {
          rest += g.sum
          count++
          continue
        }
        add(b, depth, x, g.sum * scale, g.node[0], row, g.sum)
        below.push({ x, of: { node: g.node.map(n => tree.parent[n]), value: g.value } })
        x += g.sum * scale
      }
      if (rest * scale >= narrowest) add(b, depth, x, rest * scale, -1, -1, rest, count)
    }
    level = below
  }
  return b
}

/** Returns the box at a place, -1 for none. */
export function boxAt(b: Boxes, depth: number, x: number): number {
  const row = b.rows[depth]
  if (!row) return -1
  let low = 0, high = row.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (b.x[row[middle]] <= x) low = middle + 1
    else high = middle
  }
  const found = low > 0 ? row[low - 1] : -1
  return found >= 0 && x < b.x[found] + b.width[found] ? found : -1
}
