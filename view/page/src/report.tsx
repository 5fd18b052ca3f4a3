// The report pages: totals, findings and rows of "nettrace report PART --json".
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Doc, Report, Row } from './data'
import { Findings } from './findings'
import { amount, fit, grouped, printable, seconds } from './format'
import { Column, Table } from './table'

/** Returns a value of a row as text; the end of the key is the unit. */
export function valueText(key: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') {
    if (/^(start|end|from|to|at|begin)Ns$/i.test(key)) return seconds(value)
    if (/Ns$/.test(key)) return amount(value, 'nanoseconds')
    if (/Bytes$|^bytes$/.test(key)) return amount(value, 'bytes')
    if (/Percent$/.test(key)) return value.toFixed(1) + ' %'
    return /id$/i.test(key) ? String(value) : Number.isInteger(value) ? grouped(value) : value.toFixed(2)
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return printable(value.map(v => typeof v === 'object' ? JSON.stringify(v) : String(v)).join(' < '))
  if (typeof value === 'object') {
    return Object.entries(value as Row).map(([k, v]) => `${title(k)} ${valueText(k, v)}`).join(', ')
  }
  return printable(String(value))
}

/** Returns the words of a key: "heapAfterBytes" is "heap after". */
export function title(key: string): string {
  return key.replace(/(Ns|Bytes)$/, '').replace(/Percent$/, ' %').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() || key
}

export interface ReportPageProps { doc: Doc; part: string; from: number; to: number; onRange(from: number, to: number): void }

export function ReportPage({ doc, part, from, to, onRange }: ReportPageProps) {
  const list = doc.head.parts[part] ?? []
  return <div class="report" tabIndex={0} role="region" aria-label={part}>{list.map(r => <PartView report={r} several={list.length > 1} from={from} to={to} onRange={onRange} />)}</div>
}

function PartView({ report, several, from, to, onRange }: { report: Report; several: boolean; from: number; to: number; onRange(from: number, to: number): void }) {
  const [sort, setSort] = useState(''), [selected, setSelected] = useState<Row | null>(null)
  const all = report.rows ?? []
  const columns = useMemo(() => columnsOf(report.part, all), [all])
  const rows = useMemo(() => {
    const list = all.filter(r => typeof r.startNs !== 'number' || r.startNs < to && (r.startNs as number) + lengthOf(r) >= from)
    const column = columns.find(c => c.key === sort)
    return column?.order ? [...list].sort(column.order) : list
  }, [all, columns, sort, from, to])
  return <section aria-label={report.part}>
    <h2>{report.part}{several && report.processId !== undefined ? `, process ${report.processId}` : ''}</h2>
    {report.notRecorded.map(n => <p class="why">Not recorded: {printable(n.what)}. Record it: <code>{printable(n.command)}</code></p>)}
    <Findings list={report.findings} />
    {report.totals && <dl class="facts totals">{Object.entries(report.totals).filter(([, v]) => typeof v !== 'object' || v === null).map(([k, v]) => [<dt>{title(k)}</dt>, <dd>{valueText(k, v)}</dd>])}</dl>}
    {all.length > 0 && <p class="muted">{grouped(rows.length)} of {grouped(all.length)} rows{rows.length < all.length ? ' are in the range' : ''}</p>}
    {rows.length > 0 && <div class="rows"><Table label={report.part} columns={columns} rows={rows} sort={sort} onSort={setSort}
      selected={(r: Row) => r === selected} onSelect={(r: Row) => setSelected(r)} onOpen={(r: Row) => setRange(r, onRange)} />
      {selected && <RowDetails row={selected} onRange={onRange} />}</div>}
  </section>
}

/** Sets the range to the time of a row, or to that of its longest one. */
function setRange(r: Row, onRange: (from: number, to: number) => void) {
  const timed = typeof r.startNs === 'number' ? r : r.longest as Row | undefined
  if (typeof timed?.startNs === 'number') onRange(timed.startNs, timed.startNs + Math.max(lengthOf(timed), 1))
}

/** All values of a row. */
function RowDetails({ row, onRange }: { row: Row; onRange(from: number, to: number): void }) {
  const timed = typeof row.startNs === 'number' || typeof (row.longest as Row | undefined)?.startNs === 'number'
  return <section class="row" aria-label="Selected row">
    {timed && <button onClick={() => setRange(row, onRange)}>{typeof row.startNs === 'number' ? 'Set the range to it' : 'Set the range to the longest'}</button>}
    <dl class="facts">{Object.entries(row).map(([key, value]) => [<dt>{title(key)}</dt>, <dd title={typeof value === 'number' ? String(value) : ''}>
      {Array.isArray(value) ? <ol>{value.map(v => <li>{typeof v === 'object' ? valueText('', v) : printable(String(v))}</li>)}</ol> : valueText(key, value)}</dd>])}</dl>
  </section>
}

/** Returns the length of a row in time, 0 if it has none. */
function lengthOf(r: Row): number {
  for (const key of ['durationNs', 'pauseNs', 'waitNs']) if (typeof r[key] === 'number') return r[key] as number
  return 0
}

/** The columns of each part, the most important first; a table shows those that fit, and the selected row has all. */
const partColumns: Record<string, string> = {
  gc: 'number generation startNs pauseNs reason type durationNs suspensionNs heapBeforeBytes heapAfterBytes promotedBytes allocatedBytes induced',
  alloc: 'bytes events type site largestObjectBytes heap',
  jit: 'startNs durationNs tier method ilBytes nativeBytes threadId',
  threads: 'startNs workers reason throughputPerSecond',
  locks: 'totalNs maxNs count method waiters meanNs threads',
  waits: 'totalNs maxNs count cause method meanNs threads unfinished',
  exceptions: 'throws type message thrower catcher handled unhandled firstNs',
  requests: 'startNs durationNs status route method failed direction',
}

/** Returns the columns of a part: those of its table, then the other keys of its rows. */
function columnsOf(part: string, rows: Row[]): Column<Row>[] {
  const keys = new Set<string>()
  for (const row of rows) for (const key of Object.keys(row)) keys.add(key)
  const list = (partColumns[part] ?? [...keys].join(' ')).split(' ').filter(key => keys.has(key))
  return list.map(key => {
    const numeric = rows.some(r => typeof r[key] === 'number'), short = numeric || rows.every(r => valueText(key, r[key]).length <= 12)
    return {
      key, title: title(key), right: numeric, fixed: short ? Math.max(92, 7.5 * title(key).length + 30) : undefined,
      cell: (r, n) => key === 'method' || key === 'site' || key === 'thrower' || key === 'catcher' ? printable(fit(String(r[key] ?? ''), n)) : valueText(key, r[key]),
      exact: r => typeof r[key] === 'number' ? String(r[key]) : valueText(key, r[key]),
      order: numeric ? (a, b) => ((b[key] as number) ?? -Infinity) - ((a[key] as number) ?? -Infinity)
        : (a, b) => { const x = valueText(key, a[key]), y = valueText(key, b[key]); return x < y ? -1 : x > y ? 1 : 0 },
    }
  })
}
