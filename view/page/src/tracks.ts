// What the timeline draws: for each thread and column of pixels the time in each state.
import { Doc, Samples } from './data'
import { firstAt } from './profile'

/** Kinds of time in a column. */
export const kinds = ['running', 'waiting', 'blocked'] as const
const kindOfState = [0, 0, 1, 2, 0, 1]  // running, native, waiting, blocked, spinning, idle

/** A track of the timeline. */
export interface Track {
  thread: number
  share: Float32Array  // columns times kinds: part of the column
  active: number       // ns of work in the whole trace, or samples of a type without durations
}

/** Returns the threads that have samples of a type, the most active ones first. */
export function activity(doc: Doc, s: Samples, wall: boolean): { thread: number; active: number; all: number }[] {
  const list = doc.head.threads.map((_, thread) => {
    let active = 0, all = 0
    for (let i = s.offsets[thread]; i < s.offsets[thread + 1]; i++) {
      const value = s.timed ? s.value[i] : 1
      all += value
      if (!wall || kindOfState[s.state[i] >> 1] === 0) active += value
    }
    return { thread, active, all, samples: s.offsets[thread + 1] - s.offsets[thread] }
  })
  return list.filter(t => t.samples > 0).sort((a, b) => b.active - a.active || b.all - a.all || a.thread - b.thread)
}

/** Returns the track of a thread for the times from a to b in a number of columns. */
export function track(s: Samples, thread: number, wall: boolean, a: number, b: number, columns: number): Float32Array {
  const share = new Float32Array(columns * kinds.length), scale = columns / (b - a)
  const end = firstAt(s.at, s.offsets[thread], s.offsets[thread + 1], b)
  for (let i = firstAt(s.until, s.offsets[thread], end, a); i < end; i++) {
    const kind = wall ? kindOfState[s.state[i] >> 1] : 0
    const from = Math.max((s.at[i] - a) * scale, 0), to = s.timed ? Math.min((s.at[i] + s.value[i] - a) * scale, columns) : from + 1
    for (let column = Math.floor(from); column < to && column < columns; column++) {
      share[column * kinds.length + kind] += Math.min(to, column + 1) - Math.max(from, column)
    }
  }
  return share
}

/** Returns steps of 1, 2 or 5 times a power of ten for an axis. */
export function ticks(from: number, to: number, most: number): number[] {
  const rough = (to - from) / Math.max(most, 1), power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)))
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough) ?? power * 10, list: number[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) list.push(at)
  return list
}
