// Links to the rows of reports: the time and the threads of a row become the filter, in all states of the threads.
import { Doc, Report, Row, Thread } from './data'
import { amount, printable } from './format'

/** The filter that shows a row, and the row. */
export interface RowLink { from: number; to: number; threads: string[]; row: string }

/** Returns the length of a row in time, 0 if it has none. */
export function lengthOf(r: Row): number {
  for (const key of ['durationNs', 'pauseNs', 'waitNs']) if (typeof r[key] === 'number') return r[key] as number
  return 0
}

/** Returns the link to a row, or to the longest of those that it adds up; null if the row has no time. */
export function linkOf(r: Row, row: string): RowLink | null {
  if (typeof r.pauseStartNs === 'number') { // of a collection the pauses
    const last = (r.pauses as Row[] | undefined)?.slice(-1)[0] ?? { startNs: r.pauseStartNs, pauseNs: r.pauseNs }
    return { from: r.pauseStartNs, to: Number(last.startNs) + Math.max(Number(last.pauseNs), 1), threads: [], row }
  }
  const timed = typeof r.startNs === 'number' ? r : r.longest as Row | undefined
  if (typeof timed?.startNs !== 'number') return null
  const threads = Array.isArray(timed.threads) ? timed.threads : typeof timed.threadId === 'number' ? [timed.threadId] : []
  return { from: timed.startNs, to: timed.startNs + Math.max(lengthOf(timed), 1), threads: threads.map(String), row }
}

/** What is longest in a part. */
const greatest: Record<string, [string, string]> = {
  gc: ['pauseNs', 'Longest pauses of a collection'], requests: ['durationNs', 'Slowest request'], jit: ['durationNs', 'Slowest method'], locks: ['maxNs', 'Longest wait for a lock'], waits: ['maxNs', 'Longest wait'],
}

/** Returns the longest row of a report, with its link; null if there is none. */
export function longest(report: Report, place: string): { text: string; link: RowLink } | null {
  const [key, name] = greatest[report.part] ?? []
  let found = -1, most = 0
  report.rows?.forEach((r, i) => {
    // In a row that adds up waits, unfinished is the number of those without an end.
    const one = (r.longest ?? r) as Row, value = key && !one.unfinished && r.state !== 'unfinished' && !r.idle && !r.main ? r[key] : 0
    if (typeof value === 'number' && value > most) [found, most] = [i, value]
  })
  const link = found < 0 ? null : linkOf(report.rows![found], `${place}.${found}`)
  return link && { text: `${name}: ${amount(most, 'nanoseconds')}`, link }
}

/** The sample of a mark: what it is about, the method at its leaf, its thread and its time. */
function sampleOf(doc: Doc, part: string, sample: number): { about: string; method: string; thread: Thread; at: number } {
  const type = doc.head.types.find(t => t.option === (part === 'locks' ? 'lock' : part))!, s = doc.samples.get(type.name)!
  let node = s.node[sample], thread = 0
  while (node > 0 && doc.flags[doc.func[node]] & type.helperFlag) node = doc.parent[node]
  while (s.offsets[thread + 1] <= sample) thread++
  return { about: doc.head.classes[s.class[sample] ?? 0], method: node > 0 ? doc.head.names[doc.name[doc.func[node]]] : '', thread: doc.head.threads[thread], at: s.at[sample] }
}

/** Returns the words about the sample of a mark. */
export function markText(doc: Doc, part: string, sample: number): string {
  const of = sampleOf(doc, part, sample)
  return printable([part === 'exceptions' ? of.about : '', of.method, `thread ${of.thread.id} ${of.thread.name ?? ''}`].filter(Boolean).join(', '))
}

/** Returns the row of a part that the sample of a mark belongs to, '' if none does. */
export function rowOfMark(doc: Doc, part: string, sample: number): string {
  const of = sampleOf(doc, part, sample), reports = doc.head.parts[part] ?? []
  const is = part === 'exceptions' ? (r: Row) => r.type === of.about && Number(r.firstNs) <= of.at && of.at <= Number(r.lastNs) : (r: Row) => (r.method ?? '') === of.method
  for (const [i, r] of reports.entries()) {
    const k = r.processId === undefined || reports.length === 1 || String(r.processId) === of.thread.process ? (r.rows ?? []).findIndex(is) : -1
    if (k >= 0) return `${part}.${i}.${k}`
  }
  return ''
}

/** Returns the longest row of each part, in the order of the parts. */
export function allLongest(doc: Doc): { part: string; text: string; link: RowLink }[] {
  return doc.head.partNames.flatMap(part => doc.head.parts[part].flatMap((r, i) => {
    const best = longest(r, `${part}.${i}`)
    return best ? [{ part, ...best }] : []
  }))
}
