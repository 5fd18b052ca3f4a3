// What the timeline draws: for each thread and column of pixels the time in each state.
import { Doc, SampleType, Samples } from './data'
import { firstAt } from './profile'

/** Kinds of time in a column. */
export const kinds = ['running', 'waiting', 'blocked'] as const
const kindOfState = [0, 0, 1, 2, 0, 1]  // running, native, waiting, blocked, spinning, idle

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
    const from = Math.max((s.at[i] - a) * scale, 0), to = s.timed ? Math.min((s.at[i] + s.value[i] - a) * scale, columns) : from + 1
    for (let column = Math.floor(from); column < to && column < columns; column++) {
      share[column * kinds.length + kind] += Math.min(to, column + 1) - Math.max(from, column)
    }
  }
}

/** A row of marks above the threads. */
export interface Lane { part: string; title: string; sentence: string; marks: { from: number; to: number }[] }

/** Returns the rows of marks: pauses of the garbage collector, and the rows of parts that have a time. */
export function lanes(doc: Doc): Lane[] {
  const pauses = doc.head.marks.filter(m => m.kind === 'pause').map(m => ({ from: m.fromNs, to: m.toNs })), list: Lane[] = []
  const sum = pauses.reduce((n, m) => n + m.to - m.from, 0)
  if (pauses.length > 0) list.push({ part: 'gc', title: 'gc', sentence: `gc: ${pauses.length} pauses, ${(sum / 1e6).toFixed(1)} ms`, marks: pauses })
  const requests = (doc.head.parts.requests ?? []).flatMap(r => r.rows ?? []).filter(r => typeof r.startNs === 'number')
    .map(r => ({ from: r.startNs as number, to: (r.startNs as number) + (typeof r.durationNs === 'number' ? r.durationNs : 0) }))
  if (requests.length > 0) list.push({ part: 'requests', title: 'requests', sentence: `requests: ${requests.length}`, marks: requests })
  return list
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
