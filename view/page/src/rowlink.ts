// Links to the rows of reports: the time and the threads of a row become the filter, in all states of the threads.
import { Doc, Report, Row, Thread } from './data'
import { amount, printable } from './format'
import { Range } from './profile'
import { title, valueText } from './valuetext'

/** The filter that shows a row, and the row; without a range for a row that has no time. */
export interface RowLink { range: Range | null; threads: string[]; row: string }

/** Returns the length of a row in time, 0 if it has none. */
export function lengthOf(r: Row): number {
  for (const key of ['durationNs', 'pauseNs', 'waitNs']) if (typeof r[key] === 'number') return r[key] as number
  return 0
}

/** Returns the link to a row, or to the longest of those that it adds up; null if the row has no time. */
export function linkOf(r: Row, row: string): RowLink | null {
  if (typeof r.pauseStartNs === 'number') { // of a collection the pauses
    const last = (r.pauses as Row[] | undefined)?.slice(-1)[0] ?? { startNs: r.pauseStartNs, pauseNs: r.pauseNs }
    return { range: { from: r.pauseStartNs, to: Number(last.startNs) + Math.max(Number(last.pauseNs), 1) }, threads: [], row }
  }
  const timed = typeof r.startNs === 'number' ? r : r.longest as Row | undefined
  if (typeof timed?.startNs !== 'number') return null
  const threads = Array.isArray(timed.threads) ? timed.threads : typeof timed.threadId === 'number' ? [timed.threadId] : []
  return { range: { from: timed.startNs, to: timed.startNs + Math.max(lengthOf(timed), 1) }, threads: threads.map(String), row }
}

/** Returns the index of the longest of the rows of a part that have an end, -1 if there is none. */
export function longestRow({ head }: Doc, part: string, rows: Row[]): number {
  const key = head.tables[part]?.longest?.key
  let found = -1, most = 0
  rows.forEach((r, i) => {
    // In a row that adds up waits, unfinished is the number of those without an end.
    const one = (r.longest ?? r) as Row, value = key && !one.unfinished && r.state !== 'unfinished' && !r.idle && !r.main ? r[key] : 0
    if (typeof value === 'number' && value > most) [found, most] = [i, value]
  })
  return found
}

/** A row that users look for: what it is, why, and its link. */
export interface Longest { value: number; text: string; why: string; link: RowLink }

const whyOf = (row: Row, keys: string[]): string => keys.filter(k => row[k] !== undefined && row[k] !== '').map(k => k === 'reason' || k === 'method' || k === 'route' || k === 'type' || k === 'cause' ? valueText(k, row[k])
  : `${title(k)} ${Array.isArray(row[k]) ? (row[k] as Row[]).map(v => valueText('', v)).join('; ') : valueText(k, row[k])}`).join(', ')

/** Returns the longest row of a report, with its link; null if there is none. */
export function longest(doc: Doc, report: Report, place: string): Longest | null {
  const found = longestRow(doc, report.part, report.rows ?? []), row = report.rows?.[found], link = row ? linkOf(row, `${place}.${found}`) : null
  if (!link) return null
  const { key, name, why } = doc.head.tables[report.part].longest!, value = row![key] as number
  return { value, text: `${name}: ${amount(value, 'nanoseconds')}`, why: whyOf(row!, why), link }
}

/** Returns the index of the row with the greatest number, -1 if none has one. */
const most = (rows: Row[], of: (r: Row) => number): number => rows.reduce((best, r, i) => of(r) > (best < 0 ? 0 : of(rows[best])) ? i : best, -1)

/** Returns the type that allocates most in some rows, and its bytes. */
function mostAllocatedType(rows: Row[]): [type: unknown, bytes: number] {
  const sums = new Map<unknown, number>()
  for (const r of rows) sums.set(r.type, (sums.get(r.type) ?? 0) + Number(r.bytes))
  return [...sums].reduce((a, b) => b[1] > a[1] ? b : a, ['', 0] as [unknown, number])
}

/** Returns the index of the row that users look for first: of the type that allocates most its largest site, the most contended lock, or the longest row. */
export function soughtRow(doc: Doc, part: string, rows: Row[]): number {
  if (part === 'locks') return most(rows, r => Number(r.totalNs))
  if (part !== 'alloc') return longestRow(doc, part, rows)
  const [type] = mostAllocatedType(rows)
  return most(rows, r => r.type === type ? Number(r.bytes) : 0)
}

/** Returns the type that allocates most, with its largest site; null if none is known. */
function mostAllocated(doc: Doc, { part, rows = [] }: Report, place: string): Longest | null {
  const [type, sum] = mostAllocatedType(rows), at = soughtRow(doc, part, rows), row = rows[at]
  return row ? { value: sum, text: `Allocates most: ${printable(String(type))}, ${amount(sum, 'bytes')}`, why: `${amount(Number(row.bytes), 'bytes')} in ${valueText('site', row.site)}`, link: { range: null, threads: [], row: `${place}.${at}` } } : null
}

/** Returns the lock for which threads waited longest in all, with its holder; null if there is none. */
function mostContended(doc: Doc, { part, rows = [] }: Report, place: string): Longest | null {
  const at = soughtRow(doc, part, rows), row = rows[at], holder = row?.holder as Row | undefined
  return row ? { value: Number(row.totalNs), text: `Most contended lock: ${amount(Number(row.totalNs), 'nanoseconds')}`, why: `${valueText('method', row.method)}, ${holder ? 'held by ' + valueText('', holder) : 'its holder is not known'}`, link: { range: null, threads: [], row: `${place}.${at}` } } : null
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

/** Returns the rows that users look for in each part, in the order of the parts; of several processes that with the greatest value. */
export function allLongest(doc: Doc): (Longest & { part: string })[] {
  const finders = (part: string) => [...part === 'alloc' ? [mostAllocated] : part === 'locks' ? [mostContended] : [], longest]
  return doc.head.partNames.flatMap(part => finders(part).flatMap(find => {
    const found = doc.head.parts[part].flatMap((r, i) => find(doc, r, `${part}.${i}`) ?? []).sort((a, b) => b.value - a.value)[0]
    return found ? [{ part, ...found }] : []
  }))
}
