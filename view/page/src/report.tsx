// The report pages: totals, findings and rows of "nettrace report PART --json".
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { Doc, Listing, Report, Row, isEmpty } from './data'
import { Chart } from './chart'
import { button, fact } from './facts'
import { Figures } from './figures'
import { Filter } from './filter'
import { Findings } from './findings'
import { byText, fit, grouped, printable } from './format'
import { chartOf } from './partchart'
import { Range } from './profile'
import { RowLink, lengthOf, linkOf, longest, soughtRow } from './rowlink'
import { RowSamples, samplesOfRow } from './rowsamples'
import { Column, Table } from './table'
import { ThreadTimes } from './threadtimes'
import { title, valueText } from './valuetext'

export interface ReportPageProps { doc: Doc; part: string; from: number; to: number; zoom: Range; row: string; filter: Filter; search: RegExp | null; hits: { current: ((step: number) => void) | null }; onRow(link: RowLink): void; onSelect(row: string): void; onThread(id: string): void; onSamples(change: Partial<Filter>): void }

export function ReportPage({ part, row, ...props }: ReportPageProps) {
  props.hits.current = null
  const list = props.doc.head.parts[part] ?? []
  const best = list.map((r, i) => longest(props.doc, r, `${part}.${i}`)).find(b => b)
  return <div class="report" tabIndex={0} role="region" aria-label={part} onKeyDown={e => e.key === 'Enter' && e.target === e.currentTarget && best && props.onRow(best.link)}>
    {part === 'threads' && <ThreadTimes doc={props.doc} filter={props.filter} range={props} onOpen={props.onThread} />}
    {list.map((r, i) => <PartView {...props} report={r} several={list.length > 1} place={`${part}.${i}`} row={row} />)}</div>
}

function PartView({ doc, report, several, from, to, zoom, place, row, search, hits, onRow, onSelect, onSamples }: Omit<ReportPageProps, 'part'> & { report: Report; several: boolean; place: string }) {
  const [sort, setSort] = useState('')
  const all = report.rows ?? [], [, number] = row.split(place + '.'), selected = number ? all[Number(number)] ?? null : null
  const best = longest(doc, report, place), zoomed = from > doc.head.startNs || to < doc.head.endNs
  const chart = useMemo(() => chartOf(doc, report, zoom), [doc, report, zoom])
  const columns = useMemo(() => columnsOf(doc.head.tables[report.part], all), [doc, all])
  const rows = useMemo(() => {
    const list = all.filter(r => typeof r.startNs !== 'number' || r.startNs < to && (r.startNs as number) + lengthOf(r) >= from)
    const column = columns.find(c => c.key === sort)
    return column?.order ? [...list].sort(column.order) : list
  }, [all, columns, sort, from, to])
  const found = useMemo(() => search ? rows.filter(r => columns.some(c => search.test(c.exact?.(r) ?? ''))) : [], [rows, columns, search]), at = selected ? found.indexOf(selected) : -1
  if (found.length > 0) hits.current = step => onSelect(`${place}.${all.indexOf(found[(at < 0 ? step > 0 ? 0 : found.length - 1 : at + step + found.length) % found.length])}`)
  const shown = selected ?? rows[soughtRow(doc, report.part, rows)] ?? rows[0]  // the row that users look for first
  const open = (r: Row) => {
    const link = linkOf(r, `${place}.${all.indexOf(r)}`)
    if (link) onRow(link)
  }
  return <section aria-label={report.part}>
    <h2>{report.part}{several && report.processId !== undefined ? `, process ${report.processId}` : ''}</h2>
    {report.notRecorded.map(n => <p class={isEmpty([report]) ? 'why' : 'muted'}>No events about {printable(n.what)}: none happened, or they were not recorded. Add to nettrace collect: <code>{printable(n.command.slice(24))}</code></p>)}
    <Findings list={report.findings} />
    {report.totals && <Figures part={report.part} totals={report.totals} />}
    {chart && <Chart {...zoom} {...chart} height={80} onBar={i => onSelect(`${place}.${i}`)} />}
    {all.length > 0 && <p class="longest">{best && button(best.text, () => onRow(best.link))}
      <span class="muted">{grouped(rows.length)} of {grouped(all.length)} rows{rows.length < all.length ? ' are in the range' : ''}{zoomed && '; totals, and rows without a time, are of the whole recording'}</span>
      {search && <span role="status">{at >= 0 && `${grouped(at + 1)} of `}{grouped(found.length)} match the search</span>}</p>}
    {rows.length > 0 && <div class="rows"><Table label={report.part} columns={columns} rows={rows} sort={sort} onSort={setSort} hit={r => found.includes(r)}
      selected={(r: Row) => r === selected} onSelect={(r: Row) => onSelect(`${place}.${all.indexOf(r)}`)} onOpen={(r: Row) => open(r)} />
      {shown && <RowDetails row={shown} selected={shown === selected} samples={samplesOfRow(doc, report.part, shown)} onOpen={() => open(shown)} onSamples={onSamples} />}</div>}
  </section>
}

const mostItems = 100  // of a list

/** Keys of a row that answer why, and those that are long. */
const early = 'type site method route durationNs pauseNs reason status holder timeline waitsByCause generation number'.split(' '), late = ['stack', 'generations']
const place = (key: string): number => late.includes(key) ? 200 : (early.indexOf(key) + 1 || 100)

interface RowDetailsProps { row: Row; selected: boolean; samples: RowSamples[]; onOpen(): void; onSamples(change: Partial<Filter>): void }

/** All values of a row. */
function RowDetails({ row, selected, samples, onOpen, onSamples }: RowDetailsProps) {
  const link = linkOf(row, '')
  return <section class="row" aria-label={selected ? 'Selected row' : 'Longest or first row'}>
    <p class="buttons">{link && button(`Set the range${link.threads.length ? ' and the threads' : ''} to ${typeof row.startNs === 'number' ? 'it' : 'the longest'}`, onOpen)}
      {samples.map(s => button(s.label, () => onSamples(s.change)))}</p>
    <dl class="facts">{Object.entries(row).sort(([a], [b]) => place(a) - place(b)).map(([key, value]) => fact(title(key),
      Array.isArray(value) ? <ol>{value.slice(0, mostItems).map(v => <li>{typeof v === 'object' ? valueText('', v) : printable(String(v))}</li>)}{value.length > mostItems && <li class="muted">{grouped(value.length - mostItems)} more</li>}</ol> : valueText(key, value), typeof value === 'number' ? String(value) : undefined))}</dl>
  </section>
}

/** Returns the columns of a part: those that it declares, without it all keys of the rows. A column without a value is left out. */
function columnsOf(of: Listing | undefined, rows: Row[]): Column<Row>[] {
  const keys = new Set<string>()
  for (const row of rows) for (const [key, value] of Object.entries(row)) if (value !== '' && value !== null) keys.add(key)
  const list = of?.columns ?? [...keys].map(key => ({ key, doc: '', method: false }))
  return list.filter(c => keys.has(c.key)).map(({ key, doc, method }) => {
    const numeric = rows.some(r => typeof r[key] === 'number'), short = numeric || rows.every(r => valueText(key, r[key]).length <= 12)
    return {
      key, title: title(key), about: doc, right: numeric, fixed: short ? Math.max(92, 7.5 * title(key).length + 30) : undefined,
      cell: (r, n) => method ? printable(fit(String(r[key] ?? ''), n)) : valueText(key, r[key]),
      text: r => r[key] === undefined || r[key] === null ? '' : printable(typeof r[key] === 'object' ? JSON.stringify(r[key]) : String(r[key])),
      exact: r => typeof r[key] === 'number' ? String(r[key]) : valueText(key, r[key]),
      order: numeric ? (a, b) => ((b[key] as number) ?? -Infinity) - ((a[key] as number) ?? -Infinity)
        : (a, b) => byText(valueText(key, a[key]), valueText(key, b[key])),
    }
  })
}
