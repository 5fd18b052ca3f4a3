// The totals of a part: at most eight figures, the others and the lists behind buttons.
import { ComponentChildren, h } from 'preact'
import { useState } from 'preact/hooks'
import { fact } from './facts'
import { counted } from './format'
import { Row } from './data'
import { title, valueText } from './valuetext'

/** A total: its path in the JSON, its words and its value. */
interface Figure { path: string; name: string; key: string; value: unknown }

/** The figures that a part shows first: paths in its totals. The others follow in their order, those of nothing behind a button. */
const most: Record<string, string> = {
  gc: 'count pauseNs pausePercent pauses.p50Ns pauses.p99Ns pauses.maxNs countByGeneration allocatedBytesPerSecond',
  alloc: 'bytes bytesPerSecond events source',
  locks: 'count totalNs waitPercent waits.p50Ns waits.p99Ns waits.maxNs unfinished clockNs',
  exceptions: 'thrown thrownPerSecond maxThrownPerSecond unhandled handled rethrown wrapped swallowed',
  requests: ['completed failed durations.p50Ns durations.p95Ns durations.p99Ns durations.maxNs'.replace(/\S+/g, 'incoming.$&'), 'outgoing.completed outgoing.durations.p95Ns'].join(' '),
}
const shown = 8, mostRows = 50

/** Returns the single values of totals, those in other objects too, by their paths; a list of numbers is one value. */
export function figuresOf(totals: Row, path = '', words = ''): Figure[] {
  return Object.entries(totals).flatMap(([key, value]): Figure[] => {
    if (Array.isArray(value)) return typeof value[0] === 'number' ? [{ path: path + key, name: words + title(key), key, value: value.join(' · ') }] : []
    if (value && typeof value === 'object') return figuresOf(value as Row, path + key + '.', words + title(key) + ' ')
    const same = Object.keys(totals).some(other => other !== key && title(other) === title(key))
    return [{ path: path + key, name: words + title(key) + (same && /Ns$/.test(key) ? ' time' : ''), key, value }]
  })
}

/** Returns the lists of rows in totals, by their words. */
function listsOf(totals: Row, words = ''): [string, Row[]][] {
  return Object.entries(totals).flatMap(([key, value]): [string, Row[]][] => Array.isArray(value) ? typeof value[0] === 'object' ? [[words + title(key), value as Row[]]] : []
    : value && typeof value === 'object' ? listsOf(value as Row, words + title(key) + ' ') : [])
}

/** A value that says that nothing happened. */
const isNothing = (value: unknown): boolean => !value || value === '0' || typeof value === 'string' && /^0( · 0)*$/.test(value)

export function Figures({ part, totals }: { part: string; totals: Row }) {
  const order = (most[part] ?? '').split(' '), rank = (f: Figure) => order.indexOf(f.path) + 1 || order.length + 1
  const all = figuresOf(totals).sort((a, b) => rank(a) - rank(b)), some = all.filter(f => !isNothing(f.value)), first = some.length > 0 ? some.slice(0, shown) : all.slice(0, 1)
  const rest = all.filter(f => !first.includes(f)), facts = (list: Figure[]) => <dl class="facts totals">{list.map(f => fact(f.name, valueText(f.key, f.value), String(f.value)))}</dl>
  return <div class="totals-of">{facts(first)}<div class="folded">
    {rest.length > 0 && <Folded title={counted(rest.length, 'more figure')} content={() => facts(rest)} />}
    {listsOf(totals).map(([name, rows]) => <Folded title={`${name} (${rows.length})`} content={() => <List rows={rows} />} />)}</div></div>
}

/** A title with a content that is made when the user opens it. */
export function Folded({ title, content }: { title: string; content(): ComponentChildren }) {
  const [open, setOpen] = useState(false)
  return <details onToggle={e => setOpen(e.currentTarget.open)}><summary>{title}</summary>{open && content()}</details>
}

/** The rows of a list in totals, with the values in their objects as columns. */
function List({ rows }: { rows: Row[] }) {
  const flat = rows.slice(0, mostRows).map(r => new Map(figuresOf(r).map(f => [f.name, f]))), names = [...new Set(flat.flatMap(r => [...r.keys()]))]
  return <div class="list"><table><thead><tr>{names.map(n => <th scope="col">{n}</th>)}</tr></thead>
    <tbody>{flat.map(r => <tr>{names.map(n => {
      const f = r.get(n)
      return <td class={typeof f?.value === 'number' ? 'right' : ''} title={f && String(f.value)}>{f && valueText(f.key, f.value)}</td>
    })}</tr>)}</tbody></table>{rows.length > mostRows && <p class="muted">{counted(rows.length - mostRows, 'more row')}: see the JSON of the command below.</p>}</div>
}
