// The callers or the callees of methods: what "nettrace top --callers" and "--callees" show.
import { Tree, outermost } from './frames'
import { Profile } from './profile'

export type Around = 'callers' | 'callees'

/** Returns the profile of the callers or of the callees of the methods that an expression matches. Recursion counts once: for the call nearest to the root. */
export function aroundOf(p: Profile, expression: RegExp, side: Around): Profile {
  const { tree } = p, matched = tree.names.map(n => expression.test(n)), n = tree.parent.length
  const inside = new Uint8Array(n), parent = [-1], row = [-1], known = new Map<number, number>(), of = new Int32Array(n)
  const child = (from: number, r: number) => {
    const id = from * 0x200000 + r + 1  // exact below 2^53
    let node = known.get(id)
    if (node === undefined) {
      known.set(id, node = parent.push(from) - 1)
      row.push(r)
    }
    return node
  }
  const self: number[] = [], count: number[] = []
  let sum = 0, samples = 0
  for (let node = 1; node < n; node++) {
    const above = tree.parent[node], first = !inside[above] && matched[tree.row[node]]
    inside[node] = inside[above] || first ? 1 : 0
    if (!inside[node] || p.all[node] === 0) continue
    if (first) {
      sum += p.total[node]
      samples += p.all[node]
    }
    if (side === 'callees') {
      const at = of[node] = child(first ? 0 : of[above], tree.row[node])
      self[at] = (self[at] ?? 0) + p.self[node]
      count[at] = (count[at] ?? 0) + p.count[node]
    } else if (first) {
      let at = 0  // the caller's time is that of the method: no node has self
      for (let up = node; up > 0; up = tree.parent[up]) at = child(at, tree.row[up])
      self[at] = (self[at] ?? 0) + p.total[node]
      count[at] = (count[at] ?? 0) + p.all[node]
    }
  }
  return summed(p, { parent: Int32Array.from(parent), row: Int32Array.from(row), names: tree.names, modules: tree.modules, outermost: new Uint8Array(), of }, self, count, sum, samples, side)
}

/** Returns a profile with a tree of its own, whose totals it adds up. */
function summed(p: Profile, tree: Tree, self: number[], count: number[], sum: number, samples: number, side: Around): Profile {
  const n = tree.parent.length, made: Profile = {
    ...p, tree: { ...tree, outermost: outermost(tree.parent, tree.row, tree.names.length) }, self: new Float64Array(n), total: new Float64Array(n),
    count: new Float64Array(n), all: new Float64Array(n), sum, samples,
  }
  for (let node = n - 1; node >= 0; node--) {
    made.self[node] = self[node] ?? 0
    made.count[node] = count[node] ?? 0
    made.total[node] += made.self[node]
    made.all[node] += made.count[node]
    if (node > 0) {
      made.total[tree.parent[node]] += made.total[node]
      made.all[tree.parent[node]] += made.all[node]
    }
  }
  if (side === 'callers') made.self.fill(0)
  return made
}
