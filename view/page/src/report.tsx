// The report pages: totals, findings and rows of "nettrace report PART --json".
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Doc, Report, Row } from './data'
import { Chart, ChartProps } from './chart'
import { fact } from './facts'
import { Filter } from './filter'
import { Findings } from './findings'
import { amount, byText, fit, grouped, printable, seconds } from './format'
import { Range } from './profile'
import { RowLink, lengthOf, linkOf, longest } from './rowlink'
import { Column, Table } from './table'
import { ThreadTimes } from './threadtimes'

/** Returns a value of a row as text; the end of the key is the unit. */
export function valueText(key: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') {
    if (/^((pause)?start|end|from|to|at|begin|first|last)Ns$/i.test(key)) return seconds(value)
    if (/Ns$/.test(key)) return amount(value, 'nanoseconds')
    if (/bytesPerSecond$/i.test(key)) return amount(value, 'bytes') + '/s'
    if (/Bytes$|^bytes$/.test(key)) return amount(value, 'bytes')
    if (/Percent$/.test(key)) return value.toFixed(1) + ' %'
    return /id$/i.test(key) ? String(value) : Number.isInteger(value) ? grouped(value) : value.toFixed(2)
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return printable(value.map(v => typeof v === 'object' ? JSON.stringify(v) : String(v)).join(' < '))
  if (typeof value === 'object') {
    return Object.entries(value as Row).filter(([, v]) => !Array.isArray(v)).map(([k, v]) => `${title(k)}${/Ns$/.test(k) ? ' time' : ''} ${valueText(k, v)}`).join(', ')
  }
  return printable(String(value))
}

/** Returns the words of a key: "heapAfterBytes" is "heap after". */
export function title(key: string): string {
  return key.replace(/(Ns|Bytes)$/, '').replace(/Percent$/, ' %').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() || key
}

export interface ReportPageProps { doc: Doc; part: string; from: number; to: number; zoom: Range; row: string; filter: Filter; onRow(link: RowLink): void; onSelect(row: string): void; onThread(id: string): void }

export function ReportPage({ part, row, ...props }: ReportPageProps) {
  const list = props.doc.head.parts[part] ?? []
  const best = list.map((r, i) => longest(r, `${part}.${i}`)).find(b => b)
  return <div class="report" tabIndex={0} role="region" aria-label={part} onKeyDown={e => e.key === 'Enter' && e.target === e.currentTarget && best && props.onRow(best.link)}>
    {part === 'threads' && <ThreadTimes doc={props.doc} filter={props.filter} range={props} onOpen={props.onThread} />}
    {list.map((r, i) => <PartView {...props} report={r} several={list.length > 1} place={`${part}.${i}`} row={row} />)}</div>
}

function PartView({ doc, report, several, from, to, zoom, place, row, onRow, onSelect }: Omit<ReportPageProps, 'part'> & { report: Report; several: boolean; place: string }) {
  const [sort, setSort] = useState('')
  const all = report.rows ?? [], [, number] = row.split(place + '.'), selected = number ? all[Number(number)] ?? null : null
  const best = longest(report, place), zoomed = from > doc.head.startNs || to < doc.head.endNs
  const chart = useMemo(() => chartOf(doc, report, zoom), [doc, report, zoom])
  const columns = useMemo(() => columnsOf(report.part, all), [all])
  const rows = useMemo(() => {
    const list = all.filter(r => typeof r.startNs !== 'number' || r.startNs < to && (r.startNs as number) + lengthOf(r) >= from)
    const column = columns.find(c => c.key === sort)
    return column?.order ? [...list].sort(column.order) : list
  }, [all, columns, sort, from, to])
  const open = (r: Row) => {
    const link = linkOf(r, `${place}.${all.indexOf(r)}`)
    if (link) onRow(link)
  }
  return <section aria-label={report.part}>
    <h2>{report.part}{several && report.processId !== undefined ? `, process ${report.processId}` : ''}</h2>
    {report.notRecorded.map(n => <p class="why">No events about {printable(n.what)}: none happened, or they were not recorded. Add to nettrace collect: <code>{printable(n.command.slice(24))}</code></p>)}
    <Findings list={report.findings} />
    {report.totals && <dl class="facts totals">{Object.entries(report.totals).filter(([, v]) => !Array.isArray(v)).map(([k, v], _i, list) => fact(title(k) + (/Ns$/.test(k) && list.some(([other]) => other !== k && title(other) === title(k)) ? ' time' : ''), valueText(k, v)))}</dl>}
    {chart && <Chart {...zoom} {...chart} height={110} />}
    {best && <p class="longest"><button onClick={() => onRow(best.link)}>{best.text}</button></p>}
    {all.length > 0 && <p class="muted">{grouped(rows.length)} of {grouped(all.length)} rows{rows.length < all.length ? ' are in the range' : ''}{zoomed && '; totals, and rows without a time, are of the whole recording'}</p>}
    {rows.length > 0 && <div class="rows"><Table label={report.part} columns={columns} rows={rows} sort={sort} onSort={setSort}
      selected={(r: Row) => r === selected} onSelect={(r: Row) => onSelect(`${place}.${all.indexOf(r)}`)} onOpen={(r: Row) => open(r)} />
      {selected && <RowDetails row={selected} onOpen={() => open(selected)} />}</div>}
  </section>
}

/** The value of the rows of a part that its chart shows. */
const charted: Record<string, string> = { gc: 'heapAfterBytes', requests: 'durationNs', jit: 'durationNs', threads: 'workers' }

/** The type of the samples that the chart of a part adds up. */
const summed: Record<string, string> = { alloc: 'alloc', locks: 'lock', waits: 'wait', exceptions: 'exceptions' }

/** Units of a chart, by the end of a key or the unit of samples. */
const units: [RegExp, string, number][] = [[/Ns$|nanoseconds/, 'ms', 1e6], [/bytes$/i, 'MB', 1e6], [/$/, '', 1]]

/** Returns the chart of a part: a value of its rows, or the sum of the samples in each hundredth of the time; null without two values. */
function chartOf({ head, samples }: Doc, { part, rows, processId }: Report, { from, to }: Range): Omit<ChartProps, 'from' | 'to'> | null {
  const key = charted[part], type = head.types.find(t => t.option === summed[part] && !t.of), s = type && samples.get(type.name), [, unit, size] = units.find(([end]) => end.test(key ?? type?.unit))!
  if (!s) {
    const list = (rows ?? []).filter(r => typeof r[key] === 'number' && (r.startNs as number) >= from && (r.startNs as number) <= to).sort((a, b) => Number(a.startNs) - Number(b.startNs))
    return list.length < 2 ? null : { label: title(key), unit, at: list.map(r => Number(r.startNs)), values: list.map(r => Number(r[key]) / size) }
  }
  const step = (to - from) / 100, values = Array(100).fill(0)
  head.threads.forEach((thread, t) => {
    if (processId !== undefined && head.parts[part].length > 1 && thread.process !== String(processId)) return
    for (let i = s.offsets[t]; i < s.offsets[t + 1]; i++) {
      const k = Math.floor((s.at[i] - from) / step)
      if (k in values) values[k] += s.value[i] / size
    }
  })
  return s.at.length < 2 ? null : { label: `${part}, sum of each ${amount(step, 'nanoseconds')}`, unit, at: values.map((_, i) => from + (i + 0.5) * step), values }
}

/** All values of a row. */
function RowDetails({ row, onOpen }: { row: Row; onOpen(): void }) {
  const link = linkOf(row, '')
  return <section class="row" aria-label="Selected row">
    {link && <button onClick={onOpen}>{`Set the range${link.threads.length ? ' and the threads' : ''} to ${typeof row.startNs === 'number' ? 'it' : 'the longest'}`}</button>}
    <dl class="facts">{Object.entries(row).map(([key, value]) => fact(title(key),
      Array.isArray(value) ? <ol>{value.map(v => <li>{typeof v === 'object' ? valueText('', v) : printable(String(v))}</li>)}</ol> : valueText(key, value), typeof value === 'number' ? String(value) : undefined))}</dl>
  </section>
}

/** The columns of each part, the most important first; a table shows those that fit, and the selected row has all. */
const partColumns: Record<string, string> = {
  gc: 'number generation startNs pauseNs reason type durationNs suspensionNs heapBeforeBytes heapAfterBytes promotedBytes allocatedBytes induced',
  alloc: 'bytes events type site largestObjectBytes heap',
  jit: 'startNs durationNs tier method unfinished background ilBytes nativeBytes threadId',
  threads: 'startNs workers reason throughputPerSecond',
  locks: 'totalNs maxNs count method waiters meanNs threads',
  waits: 'totalNs maxNs count cause method meanNs threads unfinished',
  exceptions: 'throws type message thrower catcher handled unhandled firstNs',
  requests: 'startNs durationNs status route method failed direction',
}

/** Returns the columns of a part: those of its table, then the other keys of its rows. */
function columnsOf(part: string, rows: Row[]): Column<Row>[] {
  const keys = new Set<string>()
  for (const row of rows) for (const [key, value] of Object.entries(row)) if (value !== '' && value !== null) keys.add(key)
  const list = (partColumns[part] ?? [...keys].join(' ')).split(' ').filter(key => keys.has(key))
  return list.map(key => {
    const numeric = rows.some(r => typeof r[key] === 'number'), short = numeric || rows.every(r => valueText(key, r[key]).length <= 12)
    return {
      key, title: title(key), right: numeric, fixed: short ? Math.max(92, 7.5 * title(key).length + 30) : undefined,
      cell: (r, n) => key === 'method' || key === 'site' || key === 'thrower' || key === 'catcher' ? printable(fit(String(r[key] ?? ''), n)) : valueText(key, r[key]),
      text: r => r[key] === undefined || r[key] === null ? '' : printable(typeof r[key] === 'object' ? JSON.stringify(r[key]) : String(r[key])),
      exact: r => typeof r[key] === 'number' ? String(r[key]) : valueText(key, r[key]),
      order: numeric ? (a, b) => ((b[key] as number) ?? -Infinity) - ((a[key] as number) ?? -Infinity)
        : (a, b) => byText(valueText(key, a[key]), valueText(key, b[key])),
    }
  })
}
