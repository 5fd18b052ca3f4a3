// What the timeline draws: for each thread and column of pixels the time in each state.
import { Doc, SampleType, Samples, firstAt, paused } from './data'
import { amount, counted, grouped } from './format'

/** Kinds of time in a column. */
export const kinds = ['running', 'waiting', 'blocked'] as const
export const kindOfState = [0, 0, 1, 2, 0, 1]  // running, native, waiting, blocked, spinning, idle

/** The kind of the samples of a type that has no states: those of locks and waits are times in which threads wait. */
export const kindOf = (type: SampleType): number => type.option === 'lock' ? 2 : type.option === 'wait' ? 1 : 0

/** The activity of a thread. */
export interface Activity {
  thread: number
  active: number  // ns of work in the trace, or samples of a type without durations
  all: number     // with the time in which it waits
  first: number   // beginning of the first sample
  last: number    // end of the last one
}

/** Returns the threads that have samples of a type, the most active ones first. */
export function activity(doc: Doc, s: Samples, wall: boolean): Activity[] {
  const list: Activity[] = []
  for (let thread = 0; thread < doc.head.threads.length; thread++) {
    const begin = s.offsets[thread], end = s.offsets[thread + 1]
    if (begin === end) continue
    let active = 0, all = 0
    for (let i = begin; i < end; i++) {
      const value = s.timed ? s.value[i] : 1
      all += value
      if (!wall || kindOfState[s.state[i] >> 1] === 0) active += value
    }
    list.push({ thread, active, all, first: s.at[begin], last: s.until[end - 1] })
  }
  return list.sort((a, b) => b.active - a.active || b.all - a.all || a.thread - b.thread)
}

/** Returns for the times from a to b in a number of columns the part of each column that a thread is in each kind: the usual one, or, if that is negative, those of the states. */
export function track(s: Samples, thread: number, usual: number, a: number, b: number, columns: number): Float32Array {
  const share = new Float32Array(columns * kinds.length)
  addTrack(share, s, thread, usual, a, b, columns)
  return share
}

/** Returns the sum of the tracks of all threads. */
export function overview(s: Samples, usual: number, a: number, b: number, columns: number): Float32Array {
  const share = new Float32Array(columns * kinds.length)
  for (let thread = 0; thread + 1 < s.offsets.length; thread++) addTrack(share, s, thread, usual, a, b, columns)
  return share
}

function addTrack(share: Float32Array, s: Samples, thread: number, usual: number, a: number, b: number, columns: number) {
  const scale = columns / (b - a), end = firstAt(s.at, s.offsets[thread], s.offsets[thread + 1], b)
  for (let i = firstAt(s.until, s.offsets[thread], end, a); i < end; i++) {
    const kind = usual < 0 ? kindOfState[s.state[i] >> 1] : usual
    const from = Math.max((s.at[i] - a) * scale, 0), to = s.timed ? Math.min((s.end[i] - a) * scale, columns) : from + 1
    for (let column = Math.floor(from); column < to && column < columns; column++) {
      const left = Math.max(from, column), right = Math.min(to, column + 1)
      share[column * kinds.length + kind] += right - left - (s.pauses[thread] ? paused(s.pauses[thread], a + left / scale, a + right / scale) * scale : 0)
    }
  }
}

/** A row of marks above the threads, in the order of their beginnings. */
export interface Lane { part: string; sentence: string; from: Float64Array; to: Float64Array; sample: Int32Array | null }

/** Returns a row of marks. */
function lane(part: string, sentence: string, marks: { from: number; to: number; sample?: number }[]): Lane {
  marks.sort((a, b) => a.from - b.from)
  return { part, sentence, from: Float64Array.from(marks, m => m.from), to: Float64Array.from(marks, m => m.to), sample: marks[0]?.sample === undefined ? null : Int32Array.from(marks, m => m.sample!) }
}

/** Returns the row of the samples of a type as marks, null if there are none. */
function sampleLane(doc: Doc, option: string, part: string, sentence: (count: number, sum: number) => string): Lane | null {
  const type = doc.head.types.find(t => t.option === option), s = type && doc.samples.get(type.name)
  if (!s || s.at.length === 0) return null
  const marks = Array.from(s.at, (from, sample) => ({ from, to: from + (s.timed ? s.value[sample] : 0), sample }))
  return lane(part, sentence(marks.length, marks.reduce((n, m) => n + m.to - m.from, 0)), marks)
}

/** Returns the rows of marks: pauses of the garbage collector, requests, exceptions and waits for locks. */
export function lanes(doc: Doc): Lane[] {
  const pauses = doc.head.marks.filter(m => m.kind === 'pause').map(m => ({ from: m.fromNs, to: m.toNs })), list: Lane[] = []
  const sum = pauses.reduce((n, m) => n + m.to - m.from, 0)
  if (pauses.length > 0) list.push(lane('gc', `gc: ${counted(pauses.length, 'pause')}, ${amount(sum, 'nanoseconds')}`, pauses))
  const requests = (doc.head.parts.requests ?? []).flatMap(r => r.rows ?? []).filter(r => typeof r.startNs === 'number')
    .map(r => ({ from: r.startNs as number, to: (r.startNs as number) + (typeof r.durationNs === 'number' ? r.durationNs : 0) }))
  if (requests.length > 0) list.push(lane('requests', `requests: ${grouped(requests.length)}`, requests))
  const more = [sampleLane(doc, 'exceptions', 'exceptions', count => `exceptions: ${grouped(count)}`),
    sampleLane(doc, 'lock', 'locks', (count, total) => `locks: ${counted(count, 'wait')}, ${amount(total, 'nanoseconds')}`)]
  return [...list, ...more.filter(l => l !== null)]
}

/** Returns steps of 1, 2 or 5 times a power of ten for an axis. */
export function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) ?? power * 10, list: number[] = []
  if (to <= from) return list
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) list.push(at)
  return list
}

/** Returns the number of decimals that the seconds of an axis need. */
export function decimalsOf(list: number[]): number {
  const step = list.length > 1 ? list[1] - list[0] : 1e9
  return Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))))
}
