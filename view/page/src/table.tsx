// A table whose rows are made only where they are visible.
import { ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { copyText } from './clipboard'
import { opensMenu } from './menu'
import { rectOf, showRow, usePrinting, useResized } from './size'
import { download } from './source'
import { TextTable, csv, tsv } from './tabletext'
import { messageOf, printable, within } from './format'

export interface Column<T> {
  key: string
  title: string
  about?: string                     // what it is: the title of the header
  right?: boolean
  fixed?: number                    // width in px; the one column without it gets the rest
  cell(row: T, characters: number): ComponentChildren
  exact?(row: T): string            // the title of the cell
  text?(row: T): string             // the cell in a copy: without it exact, without that the cell
  share?(row: T): number             // from 0 to 1: a bar behind the cell
  order?(a: T, b: T): number        // sorts; the greatest first for numbers
}

/** Returns a column of numbers: a copy has all digits. The users sort by it if it sorts, the greatest first. */
export const numbers = <T,>(key: string, title: string, fixed: number, of: (row: T) => number, cell: (n: number) => string, sorts?: boolean): Column<T> => ({
  key, title, right: true, fixed, cell: r => cell(of(r)), exact: r => String(of(r)), order: sorts ? (a, b) => of(b) - of(a) : undefined,
})

/** Returns a column of texts of the trace. */
export const texts = <T,>(key: string, of: (row: T) => unknown, fixed?: number): Column<T> => ({ key, title: key, fixed, cell: r => printable(String(of(r) ?? '')), exact: r => printable(String(of(r) ?? '')) })

/** Rows of a table: an array, or rows that are loaded where they are visible. */
export interface Rows<T> { readonly length: number; complete?(): Promise<T[]>; slice(from: number, to: number): T[]; findIndex(is: (row: T) => boolean): number }

export interface TableProps<T> {
  label: string
  columns: Column<T>[]
  rows: Rows<T>
  sort?: string
  selected?(row: T): boolean
  hit?(row: T): boolean                  // of the search
  onSort?(key: string): void
  onSelect?(row: T, add: boolean): void  // add: with Ctrl
  onOpen?(row: T): void
  onMenu?(x: number, y: number, row: T): void
}

const height = 26  // of a row in px
const narrowest = 170  // width in px of a column without a fixed one
const phoneWidth = 500 // px

/** Buttons that copy or save all columns and rows of a table. */
export function Copies({ label, content }: { label: string; content(): Promise<TextTable> }) {
  const [done, setDone] = useState('')
  const run = (act: (t: TextTable) => unknown, word: string) => content().then(act).then(() => word, e => messageOf(e)).then(setDone)
  return <div class="copies"><button onClick={() => run(t => copyText(tsv(t)), 'copied')}>Copy TSV</button>
    <button onClick={() => run(t => download(new Blob([csv(t)], { type: 'text/csv' }), label.toLowerCase().replace(/\W+/g, '-') + '.csv'), 'saved')}>Save CSV</button>
    <span class="muted" role="status">{done}</span></div>
}

/** Returns all columns and rows of a table as text. */
async function contentOf<T>({ columns, rows }: TableProps<T>): Promise<TextTable> {
  const list = rows.complete ? await rows.complete() : rows.slice(0, rows.length)
  return { keys: columns.map(c => c.key), rows: list.map(row => columns.map(c => c.text?.(row) ?? c.exact?.(row) ?? String(c.cell(row, 1e9)))) }
}

/** Returns the first columns that fit into a width, at least one. */
function fitting<T>(columns: Column<T>[], width: number): Column<T>[] {
  let sum = 0
  const end = columns.findIndex((c, i) => (sum += c.fixed ?? narrowest) > width && i > 0)
  return end < 0 ? columns : columns.slice(0, end)
}

export function Table<T>(props: TableProps<T>) {
  const { rows } = props, scroller = useRef<HTMLDivElement>(null), [view, setView] = useState({ top: 0, height: 600, width: 800 })
  const measure = () => {
    const s = scroller.current
    if (s) setView({ top: s.scrollTop, height: s.clientHeight, width: s.clientWidth })
  }
  useResized(scroller, measure)
  const printing = usePrinting(), from = printing ? 0 : Math.max(0, Math.floor(view.top / height) - 5), to = printing ? rows.length : Math.min(rows.length, Math.ceil((view.top + view.height) / height) + 5)
  // On a phone the names are first and stay where the other columns scroll.
  const phone = view.width < phoneWidth && props.columns.length > 1, name = props.columns.find(c => c.key === 'name') ?? props.columns.find(c => !c.fixed && c.order) ?? props.columns.find(c => !c.fixed) ?? props.columns[0]
  const columns = phone ? [{ ...name, fixed: Math.max(Math.floor(view.width * 0.5), 120) }, ...props.columns.filter(c => c !== name).map(c => ({ ...c, fixed: c.fixed ?? narrowest }))] : fitting(props.columns, view.width)
  // A character is about 7 px wide, the space beside it 16 px.
  const all = columns.reduce((sum, c) => sum + (c.fixed ?? 0), 0), characters = Math.max(8, Math.floor(((phone ? columns[0].fixed! : (view.width - all) / columns.filter(c => !c.fixed).length) - 16) / 7))
  const at = rows.findIndex(r => props.selected?.(r) ?? false), row = (i: number) => rows.slice(i, i + 1)[0]
  const before = useRef<{ rows: Rows<T> | null; top: number }>({ rows: null, top: -1 })  // the rows of the last drawing, and the place of the selected one
  useEffect(() => {
    // Other rows, such as those of the next document of a running process: a selected row that was not visible stays so.
    const s = scroller.current!, { rows: old, top } = before.current, seen = top >= s.scrollTop - height && top <= s.scrollTop + s.clientHeight
    if (at >= 0 && (old === null || old === rows || seen)) showRow(s, at, height)
    before.current = { rows, top: at < 0 ? -1 : at * height }
  }, [at, rows])
  const onKey = (e: KeyboardEvent) => {
    const next = e.key === 'ArrowDown' ? at + 1 : e.key === 'ArrowUp' ? at - 1 : e.key === 'Home' ? 0 : e.key === 'End' ? rows.length - 1 : -2
    if (e.key === 'Enter' && at >= 0) props.onOpen?.(row(at))
    if (opensMenu(e) && at >= 0 && props.onMenu) {
      const r = rectOf(scroller)
      e.preventDefault()
      return props.onMenu(r.left + 40, r.top + within((at + 2) * height - view.top, 0, view.height), row(at))
    }
    if (next < 0 || next >= rows.length || !props.onSelect) return
    e.preventDefault()
    props.onSelect(row(next), false)
    showRow(scroller.current!, next, height)
  }
  return <div class="tabled"><Copies label={props.label} content={() => contentOf(props)} /><div class="table" ref={scroller} onScroll={measure} tabIndex={0} onKeyDown={onKey} role="region" aria-label={props.label}>
    <table aria-rowcount={rows.length + 1} aria-label={props.label} class={phone ? 'phone' : ''} style={phone ? { width: all + 'px' } : {}}>
      <thead><tr>{columns.map(c => <th scope="col" title={c.about || undefined} class={c.right ? 'right' : ''} style={c.fixed ? { width: c.fixed + 'px' } : {}}
        aria-sort={props.sort === c.key ? 'descending' : undefined}>
        {c.order && props.onSort ? <button onClick={() => props.onSort!(c.key)}>{c.title}{props.sort === c.key ? ' ▾' : ''}</button> : c.title}</th>)}</tr></thead>
      <tbody>
        {from > 0 && <tr aria-hidden="true" style={{ height: from * height + 'px' }} />}
        {rows.slice(from, to).map((row, i) => <tr aria-rowindex={from + i + 2} class={from + i === at || props.selected?.(row) ? 'selected' : props.hit?.(row) ? 'hit' : ''}
          onClick={e => props.onSelect?.(row, e.ctrlKey || e.metaKey)} onDblClick={() => props.onOpen?.(row)} onContextMenu={e => {
            if (!props.onMenu) return
            e.preventDefault()
            props.onSelect?.(row, false)
            props.onMenu(e.clientX, e.clientY, row)
          }}>
          {columns.map(c => <td class={(c.right ? 'right' : '') + (c.share ? ' share' : '')} title={c.exact?.(row)}
            style={c.share ? { '--share': 100 * c.share(row) + '%' } : undefined}>{c.cell(row, characters)}</td>)}</tr>)}
        {to < rows.length && <tr aria-hidden="true" style={{ height: (rows.length - to) * height + 'px' }} />}
      </tbody>
    </table>
  </div></div>
}
