// Boxes of the page Time order: one thread, x is time, y is depth.
import { Boxes, add, empty } from './boxes'
import { Doc } from './data'
import { Filter } from './filter'
import { Profile, Range, eachSample } from './profile'

/** A box that is open: its node and where it begins. */
interface Run { node: number; from: number }

/** Returns the boxes of a thread in a range. A run of samples with the same frame is one box; time without a sample is a gap. */
export function timeOrder(doc: Doc, filter: Filter, p: Profile, thread: number, range: Range, width: number): Boxes {
  const b = empty(), type = p.type
  if (!type || thread < 0) return b
  const { tree } = p, nodes = doc.samples.get(type.of ?? type.name)!.node, scale = width / (range.to - range.from)
  const open: Run[] = [], path: number[] = []
  let end = -Infinity
  const close = (keep: number) => {
    for (let depth = open.length - 1; depth >= keep; depth--) {
      const run = open.pop()!
      const of = { node: run.node, row: tree.row[run.node], total: end - run.from }
      add(b, depth, (run.from - range.from) * scale, Math.max((end - run.from) * scale, 0.5), of)
    }
  }
  const threads = doc.head.threads.map((_, i) => i === thread)
  eachSample(doc, filter, type, range, threads, (i, _thread, from, value) => {
    const leaf = p.of[nodes[i]]
    if (from > end) close(0)
    if (leaf < 0 || from < end) return  // a sample within another one, such as a wait within a wait, is in the tables only
    path.length = 0
    for (let node = leaf; node > 0; node = tree.parent[node]) path.push(node)
    path.reverse()
    let common = 0
    while (common < open.length && common < path.length && open[common].node === path[common]) common++
    close(common)
    for (let depth = common; depth < path.length; depth++) open.push({ node: path[depth], from })
    end = from + (type.timed ? value : 0)
  })
  close(0)
  return b
}

/** Returns the thread of the page: the only one that the filter selects, otherwise the one with the most samples in the profile. */
export function threadOf(doc: Doc, filter: Filter, p: Profile, threads: boolean[]): number {
  if (!p.type) return -1
  const count = new Float64Array(threads.length)
  eachSample(doc, filter, p.type, p.range, threads, (_i, thread) => { count[thread]++ })
  let most = 0
  for (let thread = 1; thread < count.length; thread++) if (count[thread] > count[most]) most = thread
  return count[most] > 0 ? most : -1
}
