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
  chain: number[][]   // nodes of a row of several frames, the first one is node
  rows: number[][]    // indexes of the boxes of each depth, by x
}

const narrowest = 0.5  // px
const shortest = 4, kept = 0.995  // a chain: its frames, and the part of each that is in the next one
const none: number[] = []

export function empty(): Boxes {
  return { x: [], width: [], depth: [], node: [], row: [], total: [], smaller: [], chain: [], rows: [] }
}

export function add(b: Boxes, depth: number, x: number, width: number, of: Branch, smaller = 0, chain = none) {
  const index = b.x.push(x) - 1
  b.width.push(width)
  b.depth.push(depth)
  b.node.push(of.node)
  b.row.push(of.row)
  b.total.push(of.total)
  b.smaller.push(smaller)
  b.chain.push(chain)
  while (b.rows.length <= depth) b.rows.push([])
  b.rows[depth].push(index)
}

/** What a box shows. */
export interface Branch { node: number; row: number; total: number }

/** A box of the level above: what follows it, where, and how many of the chain that it began are not shown as one row. */
interface Open<T> { x: number; of: T; free: number; left: number; leftTotal: number }

/** What the layouts of a graph have in common. */
interface Layout<T extends Branch> {
  boxes: Boxes
  scale: number         // px per unit
  opened: Set<number>   // nodes of chains whose frames are rows
  below(of: T): T[]     // with a value, the greatest first
}

/** Adds the boxes below a first one, level by level. */
function addLevels<T extends Branch>(l: Layout<T>, first: T, from: number, list = l.below(first)) {
  let level: Open<T>[] = [{ x: 0, of: first, free: 0, left: 0, leftTotal: 0 }]
  for (let depth = from; level.length > 0; depth++) {
    const next: Open<T>[] = []
    for (const open of level) addBelow(l, open, depth, depth === from ? list : l.below(open.of), next)
    level = next
  }
}

/** Adds the boxes below one. Those that are too narrow are one box: it ends the row. */
function addBelow<T extends Branch>(l: Layout<T>, open: Open<T>, depth: number, list: T[], next: Open<T>[]) {
  let x = open.x, rest = open.leftTotal, count = open.left
  for (const of of list) {
    const width = of.total * l.scale
    if (width < narrowest) {
      rest += of.total
      count++
      continue
    }
    const chain = open.free > 0 ? null : chainFrom(l, of), last = chain?.frames.length ? chain.frames[chain.frames.length - 1] : of
    if (chain && chain.frames.length >= shortest && !l.opened.has(of.node)) {
      add(l.boxes, depth, x, width, of, 0, chain.frames.map(f => f.node))
      next.push({ x, of: last, free: 0, left: chain.left, leftTotal: chain.leftTotal })
    } else {
      add(l.boxes, depth, x, width, of)
      next.push({ x, of, free: open.free > 0 ? open.free - 1 : chain!.frames.length - 1, left: 0, leftTotal: 0 })
    }
    x += width
  }
  if (rest * l.scale >= narrowest) add(l.boxes, depth, x, rest * l.scale, { node: -1, row: -1, total: rest }, count)
}

/** Returns the frames of a chain that begins with one, and what its row leaves out. */
function chainFrom<T extends Branch>(l: Layout<T>, first: T): { frames: T[]; left: number; leftTotal: number } {
  const frames = [first]
  let left = 0, leftTotal = 0
  for (let at = first; ;) {
    const list = l.below(at)
    if (list.length === 0 || list[0].total < kept * at.total) return { frames, left, leftTotal }
    frames.push(at = list[0])
    for (const other of list.slice(1)) {
      left++
      leftTotal += other.total
    }
  }
}

/** The root box: a node, or the smallest calls from it. */
export interface Root { node: number; smallest: number }

/** Returns the boxes below a node of the tree; the node's ancestors are rows above it. */
export function rootDown(p: Profile, root: Root, opened: Set<number>, width: number): Boxes {
  const boxes = empty(), { tree } = p, { child, next } = children(tree.parent), path: Branch[] = [], lists = new Map<number, Branch[]>()
  const branch = (node: number): Branch => ({ node, row: tree.row[node], total: p.total[node] })
  const below = ({ node }: Branch) => {
    let list = lists.get(node)
    if (list) return list
    list = []
    for (let at = child[node]; at > 0; at = next[at]) if (p.total[at] > 0) list.push(branch(at))
    lists.set(node, list.sort((a, b) => b.total - a.total || a.node - b.node))
    return list
  }
  for (let node = root.node; node >= 0; node = tree.parent[node]) path.unshift(branch(node))
  let list = below(path[path.length - 1]), depth = 0, total = p.total[root.node]
  const above = path.slice(1, -1), folded = above.length >= shortest && !opened.has(above[0].node)
  for (const of of folded ? [path[0], above[0], path[path.length - 1]] : path) {
    add(boxes, depth++, 0, width, of, 0, folded && of === above[0] ? above.map(f => f.node) : none)
  }
  if (root.smallest > 0) {
    list = list.slice(-root.smallest)
    total = list.reduce((sum, of) => sum + of.total, 0)
    add(boxes, depth++, 0, width, { node: -1, row: -1, total }, list.length)
  }
  addLevels({ boxes, scale: total > 0 ? width / total : 0, opened, below }, path[path.length - 1], depth, list)
  return boxes
}

/** Samples of a box of the leaf-up graph: where their stacks continue. */
interface Ends extends Branch { nodes: number[]; values: number[] }

/** The root box of a leaf-up graph: a node of which samples end, the number of its callers with itself, and the smallest boxes below. */
export interface LeafRoot { leaf: number; levels: number; smallest: number }

/** Returns the boxes of callers below each method, level by level; the boxes between a root box and the first one are rows above it. */
export function leafUp(p: Profile, root: LeafRoot, opened: Set<number>, width: number): Boxes {
  const boxes = empty(), { tree } = p, first: Ends = { node: 0, row: -1, total: p.sum, nodes: [], values: [] }
  add(boxes, 0, 0, width, first)
  for (let node = 1; node < tree.parent.length; node++) {
    if (p.self[node] > 0) {
      first.nodes.push(node)
      first.values.push(p.self[node])
    }
  }
  const byRow: (Ends | undefined)[] = Array(tree.names.length)  // empty between the calls of below
  const lists = new Map<Ends, Ends[]>(), below = (of: Ends) => {
    let list = lists.get(of)
    if (list) return list
    const groups: Ends[] = []
    for (let i = 0; i < of.nodes.length; i++) {
      const node = of === first ? of.nodes[i] : tree.parent[of.nodes[i]], value = of.values[i]
      if (node <= 0) continue
      const row = tree.row[node]
      let g = byRow[row]
      if (!g) groups.push(g = byRow[row] = { node, row, total: 0, nodes: [], values: [] })
      g.nodes.push(node)
      g.values.push(value)
      g.total += value
    }
    for (const g of groups) byRow[g.row] = undefined
    lists.set(of, list = groups.sort((a, b) => b.total - a.total || a.row - b.row))
    return list
  }
  let at = first, depth = 1
  for (let node = root.leaf, level = 0; level < root.levels && node > 0; level++, node = tree.parent[node]) {
    const of = below(at).find(e => e.row === tree.row[node])
    if (!of) break
    add(boxes, depth++, 0, width, at = of)
  }
  let list = below(at), total = at.total
  if (root.smallest > 0) {
    list = list.slice(-root.smallest)
    total = list.reduce((sum, of) => sum + of.total, 0)
    add(boxes, depth++, 0, width, { node: -1, row: -1, total }, list.length)
  }
  addLevels({ boxes, scale: total > 0 ? width / total : 0, opened, below }, at, depth, list)
  return boxes
}

/** Returns a node of which samples end and whose callers are those of a box of a leaf-up graph, with the number of these callers and itself. */
export function leafOf(p: Profile, b: Boxes, i: number): { leaf: number; levels: number } {
  const { tree } = p, rows: number[] = []
  for (let at = i; at >= 0 && b.depth[at] > 0; at = boxAt(b, b.depth[at] - 1, b.x[at] + b.width[at] / 2)) {
    if (b.chain[at].length > 0) rows.unshift(...b.chain[at].map(n => tree.row[n]))
    else if (b.row[at] >= 0) rows.unshift(b.row[at])
  }
  const same = (node: number) => {
    for (const row of rows) {
      if (node <= 0 || tree.row[node] !== row) return false
      node = tree.parent[node]
    }
    return true
  }
  let leaf = tree.parent.length - 1
  while (leaf > 0 && !(p.self[leaf] > 0 && same(leaf))) leaf--
  return { leaf, levels: leaf > 0 ? rows.length : 0 }
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
