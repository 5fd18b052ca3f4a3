// The page Events: the events that the flags of "nettrace events" choose, with the fields and the stack of the selected one.
import { h } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Doc } from './data'
import { EventLine, Events, eventQuery, moreEventFlags, timeOf } from './events'
import { fact } from './facts'
import { Filter } from './filter'
import { counted, fit, grouped, messageOf, printable, seconds } from './format'
import { Column, Rows, Table, texts } from './table'

/** A row of the table; before it is loaded without its event. */
interface EventRow { index: number; offset: number; event: EventLine | null }

const pageSize = 200
const mostRows = 1_000_000  // a browser draws no higher element

/** The rows of the table, which are loaded where they are visible. */
class EventRows implements Rows<EventRow> {
  length = 0
  matched = -1
  error = ''
  private pages = new Map<number, EventRow[] | null>()
  constructor(private source: Events, private query: URLSearchParams, private changed: () => void) { this.load(0) }

  private load(page: number) {
    if (this.pages.has(page)) return
    this.pages.set(page, null)
    this.source.list(this.query, page * pageSize, pageSize).then(list => {
      this.matched = list.matched
      this.length = Math.min(list.matched, mostRows)
      this.pages.set(page, list.events.map((event, i) => ({ index: page * pageSize + i, offset: list.offsets[i], event })))
    }).catch(e => { this.error = messageOf(e) }).then(this.changed)
  }

  slice(from: number, to: number): EventRow[] {
    const rows: EventRow[] = []
    for (let i = from; i < Math.min(to, this.length); i++) {
      const page = Math.floor(i / pageSize)
      this.load(page)
      rows.push(this.pages.get(page)?.[i % pageSize] ?? { index: i, offset: -1 - i, event: null })
    }
    return rows
  }

  /** Returns all rows: it loads those that are missing, in large parts. */
  async complete(): Promise<EventRow[]> {
    const rows: EventRow[] = []
    for (let matched = 1; rows.length < Math.min(matched, mostRows);) {
      const list = await this.source.list(this.query, rows.length, 10_000)
      matched = list.matched
      if (list.events.length === 0) break
      list.events.forEach((event, i) => rows.push({ index: rows.length, offset: list.offsets[i], event }))
    }
    return rows
  }

  findIndex(is: (row: EventRow) => boolean): number {
    for (const page of this.pages.values()) for (const row of page ?? []) if (is(row)) return row.index
    return -1
  }
}

const nameOf = (e: EventLine) => e.id === undefined ? `metadata ${e.metadataId}` : `${e.name ?? ''}(${e.id})`
/** Returns a time without what is less than a microsecond, as the program prints it. */
const microseconds = (ns: number) => seconds(ns - ns % 1000, 6)
const valueText = (v: unknown): string => printable(typeof v === 'string' ? v : JSON.stringify(v))
const fieldsText = (e: EventLine) => Object.entries(e.fields ?? {}).map(([k, v]) => `${printable(k)}=${valueText(v)}`).join(' ')

export interface EventsPageProps {
  doc: Doc; events: Events | null; filter: Filter; more: Record<string, string>
  onFilter(filter: Filter, more: Record<string, string>): void
  onProfile(offsets: number[]): void
}

export function EventsPage({ doc, events, filter, more, onFilter, onProfile }: EventsPageProps) {
  const query = eventQuery(filter, more), [, redraw] = useState(0), [chosen, setChosen] = useState<EventRow[]>([])
  const rows = useMemo(() => events && new EventRows(events, query, () => redraw(n => n + 1)), [events, String(query)])
  useEffect(() => setChosen([]), [rows])
  if (!events || !rows) {
    return <p class="why">This file has no events: payloads can contain secrets. Write it with them: <code>nettrace report --events -o report.html {printable(doc.head.file)}</code></p>
  }
  const columns: Column<EventRow>[] = [
    { key: 'time', title: 'time', right: true, fixed: 110, cell: r => r.event ? microseconds(timeOf(r.event, doc.head)) : '…', exact: r => r.event?.time ?? '' },
    { key: 'thread', title: 'thread', right: true, fixed: 76, cell: r => r.event?.thread ?? '' },
    texts('provider', r => r.event?.provider, 190), texts('name', r => r.event && nameOf(r.event), 190),
    { key: 'fields', title: 'fields', cell: (r, n) => r.event ? fieldsText(r.event).slice(0, n + 1) : '', text: r => r.event ? fieldsText(r.event) : '' },
  ]
  const select = (row: EventRow, add: boolean) => {
    if (!row.event) return
    setChosen(old => !add ? [row] : old.some(r => r.offset === row.offset) ? old.filter(r => r.offset !== row.offset) : [...old, row])
  }
  const last = chosen[chosen.length - 1], some = chosen.length > 1
  const field = (name: string, value: string, example: string, set: (v: string) => void) => <label>{name} <input value={value} placeholder={example}
    onChange={e => set(e.currentTarget.value.trim())} /></label>
  const split = (v: string) => v.split(',').map(p => p.trim()).filter(p => p)
  return <div class="events">
    <div class="options">
      {field('provider', filter.provider.join(','), 'Microsoft-*', v => onFilter({ ...filter, provider: split(v) }, more))}
      {field('event', filter.event.join(','), '10,200-210,GC*', v => onFilter({ ...filter, event: split(v) }, more))}
      {moreEventFlags.map(f => field(f, more[f] ?? '', f === 'level' ? 'warning' : '0x8010', v => onFilter(filter, { ...more, [f]: v })))}
      <button disabled={!some && query.get('provider') === null && query.get('event') === null} onClick={() => onProfile(some ? chosen.map(r => r.offset) : [])}
        title="Their stacks as a flame graph: select several events with Ctrl, or choose by provider or event">
        Profile of {some ? `the ${chosen.length} selected events` : 'these events'}</button>
      <span class="muted" id="matched">{rows.error || (rows.matched < 0 ? 'Reading the events…'
        : rows.matched === 0 ? 'No event matches.' : counted(rows.matched, 'event') + (rows.matched > mostRows ? `, of which the first ${grouped(mostRows)} are shown` : ''))}</span>
    </div>
    <div class="rows"><Table label="Events" columns={columns} rows={rows} selected={r => chosen.some(c => c.offset === r.offset)} onSelect={select} />
      {last && <Selected doc={doc} events={events} row={last} />}</div>
  </div>
}

/** The fields and the stack of an event. */
function Selected({ doc, events, row }: { doc: Doc; events: Events; row: EventRow }) {
  const e = row.event!, [stack, setStack] = useState<{ of: number; names: string[] }>({ of: -1, names: [] })
  useEffect(() => {
    if (!e.stack) return
    events.stacks([row.offset], true).then(d => setStack({ of: row.offset, names: stackOf(d) }))
      .catch(error => setStack({ of: row.offset, names: [String(error)] }))
  }, [row.offset])
  const facts: [string, string | undefined][] = [['time', seconds(timeOf(e, doc.head), 9)], ['thread', e.thread], ['process', e.process], ['level', e.level?.toString()], ['keywords', e.keywords]]
  return <section class="row" aria-label="Selected event">
    <p class="name">{printable(`${e.provider ?? ''}/${nameOf(e)}`)}</p>
    <dl class="facts">{facts.map(([k, v]) => v !== undefined && fact(k, v))}</dl>
    <h3>Fields</h3>
    {e.fields ? <dl class="facts">{Object.entries(e.fields).map(([k, v]) => fact(printable(k), valueText(v)))}</dl> : <p class="muted">none that are known</p>}
    <h3>Stack</h3>
    {!e.stack ? <p class="muted">none</p> : stack.of !== row.offset ? <p class="muted">Reading the names…</p>
      : <ol class="frames">{stack.names.map(n => <li title={printable(n)}>{printable(fit(n, 44))}</li>)}</ol>}
  </section>
}

/** Returns the names of the frames of the only sample of a document, leaf first. */
function stackOf(d: Doc): string[] {
  const s = d.samples.get('event'), names: string[] = []
  for (let node = s ? s.node[0] : 0; node > 0; node = d.parent[node]) names.push(d.head.names[d.name[d.func[node]]])
  return names
}
