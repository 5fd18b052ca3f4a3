// Links to the rows of reports: the time and the threads of a row become the filter, in all states of the threads.
import { Doc, Report, Row } from './data'
import { amount } from './format'

/** The filter that shows a row, and the row. */
export interface RowLink { from: number; to: number; threads: string[]; row: string }

/** Returns the length of a row in time, 0 if it has none. */
export function lengthOf(r: Row): number {
  for (const key of ['durationNs', 'pauseNs', 'waitNs']) if (typeof r[key] === 'number') return r[key] as number
  return 0
}

/** Returns the link to a row, or to the longest of those that it adds up; null if the row has no time. */
export function linkOf(r: Row, row: string): RowLink | null {
  const timed = typeof r.startNs === 'number' ? r : r.longest as Row | undefined
  if (typeof timed?.startNs !== 'number') return null
  const threads = Array.isArray(timed.threads) ? timed.threads : typeof timed.threadId === 'number' ? [timed.threadId] : []
  return { from: timed.startNs, to: timed.startNs + Math.max(lengthOf(timed), 1), threads: threads.map(String), row }
}

/** What is longest in a part. */
const greatest: Record<string, [string, string]> = {
  gc: ['pauseNs', 'Longest pause'], requests: ['durationNs', 'Slowest request'], jit: ['durationNs', 'Slowest method'], locks: ['maxNs', 'Longest wait for a lock'], waits: ['maxNs', 'Longest wait'],
}

/** Returns the longest row of a report, with its link; null if there is none. */
export function longest(report: Report, place: string): { text: string; link: RowLink } | null {
  const [key, name] = greatest[report.part] ?? []
  let found = -1, most = 0
  report.rows?.forEach((r, i) => {
    const value = key && !r.unfinished && r.state !== 'unfinished' && !r.idle ? r[key] : 0
    if (typeof value === 'number' && value > most) [found, most] = [i, value]
  })
  const link = found < 0 ? null : linkOf(report.rows![found], `${place}.${found}`)
  return link && { text: `${name}: ${amount(most, 'nanoseconds')}`, link }
}

/** Returns the longest row of each part, in the order of the parts. */
export function allLongest(doc: Doc): { part: string; text: string; link: RowLink }[] {
  return doc.head.partNames.flatMap(part => doc.head.parts[part].flatMap((r, i) => {
    const best = longest(r, `${part}.${i}`)
    return best ? [{ part, ...best }] : []
  }))
}
