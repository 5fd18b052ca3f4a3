// The selected method and frame. The address has the frame as a node of the document: its number is the same with each filter.
import { Doc } from './data'
import { Filter, Flag, flags, noFilter, states } from './filter'
import { counted, grouped } from './format'
import { Profile, eachSample, profileOf, samplesOf } from './profile'

/** Returns the node of a tree for a node of the document in the address, 0 if it has none. */
export function nodeOf(p: Profile, text: string | undefined): number {
  const node = p.tree.of[Number(text)] ?? 0
  return node > 0 ? node : 0
}

/** Returns the first node of the document of a node of a tree. */
export const documentNode = (p: Profile, node: number): string => node > 0 ? String(p.tree.of.indexOf(node)) : ''

/** Returns the nodes of the document whose samples contain a method. */
export function nodesWith(doc: Doc, p: Profile, row: number): Uint8Array | null {
  if (row < 0 || p.of.length === 0) return null
  const { tree } = p, inside = new Uint8Array(tree.parent.length), marked = new Uint8Array(doc.parent.length)
  for (let node = 1; node < inside.length; node++) inside[node] = inside[tree.parent[node]] || tree.row[node] === row ? 1 : 0
  for (let node = 0; node < marked.length; node++) marked[node] = p.of[node] > 0 ? inside[p.of[node]] : 0
  return marked
}

/** Returns the value of the samples of marked nodes by thread and by state, the greatest first. */
export function sharesOf(doc: Doc, filter: Filter, p: Profile, threads: boolean[], marked: Uint8Array): { threads: [string, number][]; states: [string, number][] } {
  const byThread = new Map<string, number>(), byState = new Map<string, number>(), type = p.type!, s = samplesOf(doc, type), wall = (type.of ?? type.name) === 'wall'
  eachSample(doc, filter, type, p.range, threads, (i, thread, _from, value) => {
    if (!marked[s.node[i]]) return
    const t = doc.head.threads[thread], name = `${t.id} ${t.name ?? ''}`.trim()
    byThread.set(name, (byThread.get(name) ?? 0) + value)
    if (wall) byState.set(states[s.state[i] >> 1], (byState.get(states[s.state[i] >> 1]) ?? 0) + value)
  })
  const sorted = (m: Map<string, number>) => [...m].sort((a, b) => b[1] - a[1])
  return { threads: sorted(byThread), states: sorted(byState) }
}

/** What is known of the stacks of some samples: their numbers by state, and the evidence of the repaired ones. */
export interface StackFacts { repaired: number; truncated: number; added: [number, number]; context: number; byTime: number; unfinished: number }

/** Returns what is known of the stacks of the samples of marked nodes. */
export function stackFacts(doc: Doc, filter: Filter, p: Profile, threads: boolean[], marked: Uint8Array): StackFacts {
  const of: StackFacts = { repaired: 0, truncated: 0, added: [Infinity, 0], context: Infinity, byTime: 0, unfinished: 0 }, s = samplesOf(doc, p.type!)
  eachSample(doc, filter, p.type!, p.range, threads, i => {
    if (!marked[s.node[i]] || s.status[i] === 0) return
    const stack = s.status[i] & 3
    if (s.status[i] & 4) of.unfinished++
    if (stack === 2) of.truncated++
    if (stack !== 1) return
    of.repaired++
    const added = s.added[i] ?? 0
    of.added = [Math.min(of.added[0], added), Math.max(of.added[1], added)]
    if (added > 0) of.context = Math.min(of.context, s.context[i])
    of.byTime += s.byTime[i] ?? 0
  })
  return of
}

/** Returns the facts about stacks as sentences. */
export function stackSentences(of: StackFacts): string[] {
  const list: string[] = [], [least, most] = of.added
  if (of.repaired > 0) {
    const frames = least === most ? counted(most, 'frame') : `${grouped(least)} to ${counted(most, 'frame')}`
    list.push(`${counted(of.repaired, 'stack')} repaired: the runtime truncated them at 100 frames.` + (most === 0 ? ' They were complete.'
      : ` Added: ${frames} at the root, each after at least ${counted(of.context, 'equal frame')} of another stack` +
        (of.byTime > 0 ? `; ${counted(of.byTime, 'ambiguous frame')} by the stacks before and after on the thread.` : '.')))
  }
  if (of.truncated > 0) list.push(`${counted(of.truncated, 'stack')} truncated: the trace does not have the other frames.`)
  if (of.unfinished > 0) list.push(`${counted(of.unfinished, 'sample')} without an end: counted up to the end of the recording.`)
  return list
}

/** Returns the frames of a node, the leaf first, one a line. */
export function stackText(p: Profile, node: number): string {
  const lines: string[] = []
  for (let at = node; at > 0; at = p.tree.parent[at]) lines.push(p.tree.names[p.tree.row[at]])
  return lines.join('\n')
}

/** Returns the node of a method with the greatest total. */
export function widest(p: Profile, row: number): number {
  let found = 0
  for (let node = 1; node < p.tree.row.length; node++) if (p.tree.row[node] === row && (found === 0 || p.total[node] > p.total[found])) found = node
  return found
}

/** Returns the depth of a node, and its place among the calls with samples from its caller. */
export function placeOf(p: Profile, node: number): { depth: number; position: number; siblings: number } {
  const { parent } = p.tree
  let depth = 0, position = 1, siblings = 0
  for (let at = node; at > 0; at = parent[at]) depth++
  for (let other = 1; other < parent.length; other++) {
    if (parent[other] !== parent[node] || p.all[other] === 0) continue
    siblings++
    if (p.total[other] > p.total[node] || p.total[other] === p.total[node] && other < node) position++
  }
  return { depth, position, siblings }
}

/** Returns for each node the part of its total in which threads wait. */
export function waitingOf(doc: Doc, filter: Filter, p: Profile, threads: boolean[]): Float64Array {
  const sum = new Float64Array(p.tree.parent.length), type = p.type
  if (!type || (type.of ?? type.name) !== 'wall') return sum
  const s = samplesOf(doc, type)
  eachSample(doc, filter, type, p.range, threads, (i, _thread, _from, value) => {
    const node = p.of[s.node[i]], state = states[s.state[i] >> 1]
    if (node >= 0 && state !== 'running' && state !== 'native' && state !== 'spinning') sum[node] += value
  })
  for (let node = sum.length - 1; node > 0; node--) sum[p.tree.parent[node]] += sum[node]
  return sum
}

/** Returns the flag that removed the last samples: without those after it, and with those before it. Null if there are none without a filter. */
export function culprit(doc: Doc, filter: Filter): Flag | null {
  let kept: Filter = { ...noFilter, type: filter.type }
  try {
    if (profileOf(doc, kept).samples === 0) return null
    for (const flag of flags) {
      kept = { ...kept, [flag]: filter[flag] }
      if (profileOf(doc, kept).samples === 0) return flag
    }
  } catch {
    // The filter bar shows which value is wrong.
  }
  return null
}
