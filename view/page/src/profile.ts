// The samples that a filter selects, added up by node and by method.
import { Doc, SampleType, Samples, firstAt, paused } from './data'
import { Filter, alternatives, states } from './filter'
import { byText } from './format'
import { Tree, buildTree, matches } from './frames'
import { bound, momentOf } from './time'

/** The length in ns of the range of a running process, which moves until one is chosen. */
const movingNs = 60e9

export interface Range { from: number; to: number }  // [from, to) in ns since the sync time

/** What the profile pages show. */
export interface Profile {
  type: SampleType | null
  tree: Tree
  self: Float64Array
  total: Float64Array
  count: Float64Array     // samples whose stack ends at the node
  all: Float64Array       // samples through the node
  sum: number
  samples: number
  range: Range
  frames?: string         // what nodes are, in the plural; without: frames
  of: Int32Array          // node of a sample, by its node of the document; -1 if the filter leaves out the stack
}

export interface TopRow { name: string; module: string; self: number; total: number; samples: number; row: number }

/** Returns the range of a filter, of which the document has the samples. It throws if a bound is not a time. */
export function rangeOf(doc: Doc, filter: Filter): Range {
  const chosen = chosenRange(doc, filter), part = doc.head.part
  return part ? { from: Math.max(chosen.from, part.fromNs), to: Math.min(chosen.to, part.toNs) } : chosen
}

/** Returns the range that a filter selects. */
export function chosenRange(doc: Doc, filter: Filter): Range {
  const at = (flag: 'from' | 'to', without: number) => filter[flag] ? bound(momentOf(flag, filter[flag], doc.head), doc.head) : without
  if (doc.moving && !filter.from && !filter.to) return { from: Math.max(doc.head.startNs, doc.head.endNs - movingNs), to: Infinity }
  return { from: at('from', -Infinity), to: at('to', Infinity) }
}

/** Returns the type of samples that a filter shows: of processor time the measured one. */
export function typeOf(doc: Doc, filter: Filter): SampleType | null {
  const types = doc.head.types
  if (!filter.type) return types[0] ?? null
  return types.filter(t => t.option === filter.type).pop() ?? null
}

export const samplesOf = (doc: Doc, type: SampleType): Samples => doc.samples.get(type.of ?? type.name)!

/** Returns for each thread whether a filter selects it. */
export function selectedThreads(doc: Doc, filter: Filter): boolean[] {
  const threads = filter.thread.flatMap(idRanges), processes = filter.process.flatMap(idRanges)
  const within = (id: string, ranges: [bigint, bigint][]) => ranges.some(([a, b]) => a <= BigInt(id) && BigInt(id) <= b)
  return doc.head.threads.map(t =>
    (threads.length === 0 || within(t.id, threads)) && (processes.length === 0 || t.process !== '0' && within(t.process, processes)))
}

function idRanges(text: string): [bigint, bigint][] {
  return text.split(',').map(part => {
    const m = /^(\d+)(?:-(\d+))?$/.exec(part.trim())
    if (!m) throw new Error(`${part} is not an id or a range of ids`)
    return [BigInt(m[1]), BigInt(m[2] ?? m[1])]
  })
}

const trees = new WeakMap<Doc, { key: string; tree: Tree }[]>()
const kept = 4  // trees

/** Returns the tree for a filter; the last ones are kept. */
function treeOf(doc: Doc, filter: Filter): Tree {
  const key = JSON.stringify([filter.hide, filter.only, filter.group, filter['just-my-code'], filter['fold-recursion']])
  let list = trees.get(doc)
  if (!list) trees.set(doc, list = [])
  let found = list.find(t => t.key === key)
  if (!found) found = { key, tree: buildTree(doc, filter) }
  trees.set(doc, [found, ...list.filter(t => t !== found)].slice(0, kept))
  return found.tree
}

/** Returns for each node of the document the node that a sample counts for: -1 if the filter leaves out the stack. */
function targets(doc: Doc, filter: Filter, type: SampleType, tree: Tree): Int32Array {
  const of = new Int32Array(doc.parent.length), focus = matches(doc, filter.focus), ignore = matches(doc, filter.ignore)
  const focused = new Uint8Array(of.length), ignored = new Uint8Array(of.length), frame = new Int32Array(of.length)
  if (focus && of.length > 0) of[0] = -1
  for (let node = 1; node < of.length; node++) {
    const parent = doc.parent[node], f = doc.func[node]
    focused[node] = focused[parent] | (focus ? focus[f] : 1)
    ignored[node] = ignored[parent] | (ignore ? ignore[f] : 0)
    const helper = !filter['runtime-helpers'] && doc.flags[f] & type.helperFlag
    frame[node] = helper ? frame[parent] : node  // 0: all frames are helpers
    of[node] = focused[node] && !ignored[node] ? tree.of[frame[node] || node] : -1
  }
  return of
}

/** Returns for each code of the column state whether it is selected. */
function selectedStates(filter: Filter, type: SampleType): Uint8Array {
  const chosen = new Uint8Array(2 * states.length), list = filter.state.flatMap(s => s.split(','))
  for (let code = 0; code < chosen.length; code++) {
    const state = list.length === 0 || list.includes(states[code >> 1])
    chosen[code] = state && (type.of === undefined || (code & 1) === 1) ? 1 : 0
  }
  return chosen
}

/** Returns for each class whether --class selects it, null if all are selected: the flag is about allocations. */
function selectedClasses(doc: Doc, filter: Filter, type: SampleType): boolean[] | null {
  const expression = alternatives(filter.class), { classes } = doc.head
  return expression && type.option === 'alloc' ? classes.map((name, i) => i % 2 === 0 && (expression.test(name) || expression.test(classes[i + 1]))) : null
}

/** Calls add for each selected sample with its index, node and the value of its part in the range. */
export function eachSample(doc: Doc, filter: Filter, type: SampleType, range: Range, threads: boolean[],
  add: (index: number, thread: number, from: number, value: number) => void) {
  const s = samplesOf(doc, type), sampled = type.name === 'wall' || type.of === 'wall', chosen = selectedStates(filter, type), classes = selectedClasses(doc, filter, type)
  for (let thread = 0; thread < threads.length; thread++) {
    if (!threads[thread]) continue
    const end = firstAt(s.at, s.offsets[thread], s.offsets[thread + 1], range.to)
    for (let i = firstAt(s.until, s.offsets[thread], end, range.from); i < end; i++) {
      if (sampled && !chosen[s.state[i]] || classes && !classes[s.class[i] ?? 0]) continue
      let from = s.at[i], value = s.value[i]
      if (s.end[i] > from) {
        const until = Math.min(s.end[i], range.to), whole = s.end[i] - from === value
        from = Math.max(from, range.from)
        if (until <= from) continue
        value = until - from - (whole ? 0 : paused(s.pauses[thread], from, until))
      } else if (from < range.from) continue
      add(i, thread, from, value)
    }
  }
}

/** Adds up the samples of a filter. */
export function profileOf(doc: Doc, filter: Filter): Profile {
  const type = typeOf(doc, filter), tree = treeOf(doc, filter), range = rangeOf(doc, filter), n = tree.parent.length
  const p: Profile = {
    type, tree, self: new Float64Array(n), total: new Float64Array(n), count: new Float64Array(n), all: new Float64Array(n), sum: 0, samples: 0, range,
    of: new Int32Array(0),
  }
  if (!type) return p
  const of = p.of = targets(doc, filter, type, tree), nodes = samplesOf(doc, type).node
  eachSample(doc, filter, type, range, selectedThreads(doc, filter), (i, _thread, _from, value) => {
    const node = of[nodes[i]]
    if (node < 0) return
    p.self[node] += value
    p.count[node]++
    p.sum += value
    p.samples++
  })
  p.total.set(p.self)
  p.all.set(p.count)
  for (let node = n - 1; node > 0; node--) {
    p.total[tree.parent[node]] += p.total[node]
    p.all[tree.parent[node]] += p.all[node]
  }
  return p
}

/** Returns the rows of "nettrace top", in its order. */
export function topRows(p: Profile, noFrames: string, sort: 'self' | 'total' = 'self'): TopRow[] {
  const rows: (TopRow | undefined)[] = [], { tree } = p
  for (let node = 1; node < tree.parent.length; node++) {
    if (p.all[node] === 0) continue
    const at = tree.row[node]
    const row = rows[at] ??= { name: tree.names[at], module: tree.modules[at], self: 0, total: 0, samples: 0, row: at }
    row.self += p.self[node]
    row.samples += p.count[node]
    if (tree.outermost[node]) row.total += p.total[node]
  }
  const list = rows.filter(r => r !== undefined) as TopRow[]
  if (p.count[0] > 0) list.push({ name: noFrames, module: '', self: p.self[0], total: p.self[0], samples: p.count[0], row: -1 })
  return sortRows(list, sort)
}

/** Sorts rows by a value, then by name. */
export function sortRows(list: TopRow[], sort: 'self' | 'total'): TopRow[] {
  const other = sort === 'self' ? 'total' : 'self'
  return list.sort((a, b) => b[sort] - a[sort] || b[other] - a[other] || byText(a.name, b.name) || byText(a.module, b.module))
}
