// The document that package view writes: a head and columns of integers.
import { gunzip, parsed } from './source'

export interface Process { id: string; name: string; source?: string }
export interface Thread { id: string; process: string; name?: string }
export interface SampleType {
  name: string; option: string; of?: string; unit: string; timed?: boolean; helperFlag: number; offsets?: number[]
}
export interface Mark { kind: string; name: string; thread: number; fromNs: number; toNs: number; labels?: Record<string, string> }
export interface Counter {
  process: string; provider: string; name: string; display: string; unit: string; tags: string; shows: string; at: number[]; values: number[]
}
export interface Finding {
  part: string; rule: string; severity: string; text: string; value: number; unit: string; advice: string; command: string
}
export interface NotRecorded { what: string; provider: string; keywords: string; level: number; command: string }
export type Row = Record<string, unknown>
/** What a part declares of its rows: the columns of its table, the most important one first, the value of --type of the samples that they add up,
 * and the row that users look for: the key of its time, what it is, and the keys that say why. */
export interface Listing { columns: { key: string; doc: string; method?: boolean }[]; samples?: string; longest?: { key: string; name: string; why: string[] } }
export interface Report {
  file: string; part: string; processId?: number; rows?: Row[]; totals?: Row; findings: Finding[]; notRecorded: NotRecorded[]
}
export interface Head {
  schema: number; tool: string; file: string; process: string; pid?: string; command?: string; live?: string
  part?: { fromNs: number; toNs: number; samples: number; all: number }
  syncTime: string; frequency: string; syncTicks: string; start: string; startNs: number; endNs: number; intervalNs: number
  lost: { fromNs: number; toNs: number; count: string }[]; lostEvents: string; error?: string
  processes: Process[]; threads: Thread[]; allThreads?: number
  names: string[]; modules: string[]; namespaces: string[]; assemblies: string[]; otherTypes: string[]; classes: string[]; hidden: string; noFrames: string
  nodes: number; functions: number; types: SampleType[]; why: Record<string, string>; columns: string[]
  lines?: { offsets: number[]; starts: number[]; states: string[]; causes: string[] }; warnings: string[]
  marks: Mark[]; counters: Counter[]; parts: Record<string, Report[]>; tables: Record<string, Listing>; partNames: string[]; findings: Finding[]; leftOut: string[]; diff?: string; joins?: string; joined?: string; address?: string; heap?: boolean
}

/** Flags of functions: see package view. */
export const framework = 1, synthesized = 2

/** The samples of a type, by thread and time. */
export interface Samples {
  offsets: number[]
  at: Float64Array     // beginning in ns since the sync time
  value: Float64Array  // of timed types the length in ns, without the pauses in it of samples of the sample profiler
  end: Float64Array    // the end of a timed sample, else its time
  until: Float64Array  // for each sample the latest end of it and those before it of its thread
  node: Int32Array
  state: Uint8Array    // 2 * state, plus 1 in managed code
  status: Uint8Array
  offset: Float64Array // of events: their offset in the trace
  class: Int32Array    // index in head.classes; empty if no sample has one
  added: Int32Array    // frames that repair added, the equal frames that each of them required, and those that time chose;
  context: Int32Array  // empty if no stack is repaired
  byTime: Int32Array
  helpers: Int32Array  // of events: the flags of the functions that are folded into their callers
  timed: boolean
  pauses: Pauses[]     // of samples of the sample profiler, for each thread: those of its process
}

/** The pauses of the garbage collector in a process, in order and apart from each other. */
export interface Pauses { from: number[]; to: number[] }

export interface Doc {
  head: Head
  parent: Int32Array   // of a node; -1 for the root
  func: Int32Array     // of a node; -1 for the root
  name: Int32Array     // of a function: index in head.names
  module: Int32Array
  namespace: Int32Array
  assembly: Int32Array
  typ: Int32Array      // of a function: the length of its type at the beginning of the name, -1 less an index in head.otherTypes, or 0
  flags: Int32Array
  samples: Map<string, Samples>
  line: { length: Float64Array; state: Int32Array; cause: Int32Array }  // of the spans of head.lines
  moving?: boolean     // without a range, the last 60 s are shown
}

/** Decompresses and decodes a document. */
export async function decode(packed: Uint8Array): Promise<Doc> {
  return decodePlain(await gunzip(packed))
}

/** Decodes a document that is not compressed. */
export function decodePlain(data: Uint8Array): Doc {
  const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const parts: Uint8Array[] = []
  for (let at = 0; at < data.length;) {
    const size = bytes.getUint32(at, true)
    parts.push(data.subarray(at + 4, at + 4 + size))
    at += 4 + size
  }
  const head: Head = parsed(parts[0])
  const columns = new Map(head.columns.map((name, i) => [name, parts[i + 1]]))
  const numbers = <T extends Int32Array | Uint8Array | Float64Array>(name: string, into: T, usual = 0): T => {
    const column = columns.get(name)
    if (column) readNumbers(column, into)
    else if (usual !== 0) into.fill(usual)
    return into
  }
  const parent = numbers('parent', new Int32Array(head.nodes)), func = numbers('function', new Int32Array(head.nodes))
  for (let i = 0; i < parent.length; i++) parent[i] = i - parent[i]
  parent[0] = func[0] = -1
  const spans = head.lines ? head.lines.offsets[head.threads.length] : 0, functions = (name: string) => numbers('function.' + name, new Int32Array(head.functions))
  const doc: Doc = {
    head, parent, func, name: functions('name'), module: functions('module'), namespace: functions('namespace'),
    assembly: functions('assembly'), typ: functions('type'), flags: functions('flags'), samples: new Map(), line: { length: numbers('line.length', new Float64Array(spans)), state: numbers('line.state', new Int32Array(spans)), cause: numbers('line.cause', new Int32Array(spans)) },
  }
  const pauses = pausesOf(head)
  for (const type of head.types) if (type.offsets) doc.samples.set(type.name, readSamples(type, type.offsets, numbers, head.columns, type.name === 'wall' ? pauses : []))
  return doc
}

/** Reads a column of zigzag LEB128. The values can exceed 32 bits. */
export function readNumbers(column: Uint8Array, into: Int32Array | Uint8Array | Float64Array) {
  for (let at = 0, row = 0; at < column.length; row++) {
    let value = 0, factor = 1, byte = 0
    do {
      byte = column[at++]
      value += (byte & 127) * factor
      factor *= 128
    } while (byte > 127)
    into[row] = value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }
}

function pausesOf(head: Head): Pauses[] {
  const of: Record<string, Pauses> = {}
  for (const t of head.threads) of[t.process] = { from: [], to: [] }
  for (const m of head.marks.filter(m => m.kind === 'pause').sort((a, b) => a.fromNs - b.fromNs)) {
    const { from, to } = of[head.threads[m.thread].process], last = to.length - 1
    if (last >= 0 && m.fromNs <= to[last]) to[last] = Math.max(to[last], m.toNs)
    else from.push(m.fromNs), to.push(m.toNs)
  }
  return head.threads.map(t => of[t.process])
}

/** Returns the sum of the parts of pauses that are in a time. */
export function paused(of: Pauses, from: number, to: number): number {
  let sum = 0
  for (let i = firstAt(of.to, 0, of.to.length, from); i < of.from.length && of.from[i] < to; i++) sum += Math.max(Math.min(to, of.to[i]) - Math.max(from, of.from[i]), 0)
  return sum
}

/** Returns the first index from low to high, without high, whose value is not below a bound; the values ascend. */
export function firstAt(list: ArrayLike<number>, low: number, high: number, bound: number): number {
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle] < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** Reports whether a part of the report has nothing to show: it was not recorded, or did not happen. */
export function isEmpty(list: Report[]): boolean {
  return list.every(r => !r.totals || Object.keys(r.totals).length === 0)
}

type Numbers = <T extends Int32Array | Uint8Array | Float64Array>(name: string, into: T, usual?: number) => T

function readSamples(type: SampleType, offsets: number[], numbers: Numbers, columns: string[], pauses: Pauses[]): Samples {
  const rows = offsets[offsets.length - 1], column = (name: string) => type.name + '.' + name
  const order = numbers(column('at'), new Float64Array(rows)), threads = numbers(column('thread'), new Int32Array(rows))
  const at = new Float64Array(rows), place = [...offsets]
  for (let i = 0, time = 0; i < rows; i++) at[place[threads[i]]++] = time += order[i]
  const node = numbers(column('node'), new Int32Array(rows))
  const some = (name: string) => columns.includes(column(name)) ? numbers(column(name), new Int32Array(rows)) : new Int32Array(0)
  const offset = type.name === 'event' ? numbers(column('offset'), new Float64Array(rows)) : new Float64Array(0)
  const value = numbers(column(type.timed ? 'over' : 'value'), new Float64Array(rows)), end = new Float64Array(rows), until = new Float64Array(rows)
  for (let thread = 0; thread + 1 < offsets.length; thread++) {
    for (let i = offsets[thread]; i < offsets[thread + 1]; i++) {
      if (type.timed && i + 1 < offsets[thread + 1]) value[i] += at[i + 1] - at[i]
      if (i > offsets[thread]) node[i] += node[i - 1]
      if (i > offsets[thread] && offset.length) offset[i] += offset[i - 1]
      end[i] = at[i] + (type.timed ? value[i] : 0)
      if (pauses[thread]) value[i] -= paused(pauses[thread], at[i], end[i])
      until[i] = Math.max(end[i], i > offsets[thread] ? until[i - 1] : -Infinity)
    }
  }
  return {
    offsets, at, value, end, until, pauses, node, offset, timed: !!type.timed, class: some('class'), added: some('added'), context: some('context'), byTime: some('byTime'), helpers: some('helpers'),
    state: numbers(column('state'), new Uint8Array(rows)), status: numbers(column('status'), new Uint8Array(rows)),
  }
}
