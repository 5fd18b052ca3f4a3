// The difference to an older trace: the options, the table Top and the colours of the flame graph.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Boxes, rootDown } from './boxes'
import { Change, Other, change, changes, totalsOf } from './diff'
import { Flame, FlameProps } from './flame'
import { Changed } from './flamepaint'
import { amount, fit, percent, percentOf, printable } from './format'
import { Choice, check } from './options'
import { Profile } from './profile'
import { Column, Table, numbers } from './table'

/** What the page is compared with. */
export function Compared({ other, up, flame, more, onMore }: {
  other: Other; up: boolean; flame: boolean; more: Record<string, string>; onMore(key: string, value: string): void
}) {
  const older = printable(other.name)
  if (!other.profile) return <span class="muted">Not compared with {older}: {printable(other.why)}</span>
  if (up) return <span class="muted">Leaf up shows no changes since {older}.</span>
  return <span class="compared"><span class="muted">changes since {older} ({amount(other.profile.sum, other.profile.type!.unit)})</span>
    {flame && <Choice label="Widths" value={more.widths ?? ''} values={[['', 'Widths now'], ['other', 'Widths before']]} onChange={v => onMore('widths', v)} />}
    {check('by value', more.change === 'value', on => onMore('change', on ? 'value' : ''))}</span>
}

const signed = (text: string, value: number) => value > 0 ? '+' + text : text
const points = (n: number) => { const text = n.toFixed(1); return text === '-0.0' ? '0.0' : signed(text, text === '0.0' ? 0 : n) }

/** The rows of Top in both traces, also those that are in one of them only. */
export function Changes({ profile, before, noFrames, sort, byValue, selected, onSort, onSelect }: {
  profile: Profile; before: Profile; noFrames: string; sort: 'self' | 'total'; byValue: boolean; selected: string
  onSort(key: string): void; onSelect(name: string): void
}) {
  const rows = useMemo(() => changes(profile, before, noFrames, sort, byValue), [profile, before, sort, byValue]), unit = profile.type!.unit
  const value = (v: number) => v === 0 ? '0' : signed(amount(v, unit), v)
  const both = (key: 'self' | 'total') => [numbers<Change>(key, key, 96, r => r[key], n => amount(n, unit), true), numbers<Change>(key + 'Change', 'change', 106, r => r[key] - r[`${key}Before`], value)]
  const columns: Column<Change>[] = useMemo(() => [
    ...both('self'), { key: 'share', title: 'share', right: true, fixed: 66, cell: r => percent(r.self, profile.sum), text: r => percentOf(r.self, profile.sum) },
    { ...numbers<Change>('points', 'points', 64, r => r.share - r.shareBefore, points), exact: r => `${r.shareBefore} % before`, text: r => String(r.share - r.shareBefore) },
    { ...numbers<Change>('se', 'SE', 70, r => r.errors, points), exact: () => 'the change by its standard error; below 2 it may be chance', text: r => String(r.errors) },
    ...both('total'),
    { key: 'method', title: 'method', cell: (r, n) => printable(fit(r.name, n)), exact: r => printable(r.name + (r.module ? ' in ' + r.module : '')), text: r => printable(r.name) },
    { key: 'only', title: 'in', fixed: 74, cell: r => r.samples + r.total === 0 ? 'before' : r.totalBefore + r.selfBefore === 0 ? 'now' : 'both' },
  ], [profile, before])
  return <Table label="Changes" columns={columns} rows={rows} sort={sort} onSort={onSort} selected={r => selected !== '' && r.name === selected} onSelect={r => onSelect(r.name)} />
}

/** The flame graph with the colours of the changes, as wide as in one of the traces. */
export function ChangedFlame({ graph, other, root, layout, byValue, widths, onMethod, onZoom }: {
  graph: Omit<FlameProps, 'up' | 'root' | 'label' | 'layout' | 'onZoom' | 'change'>; other: Other; root: number; byValue: boolean; widths: string
  layout(width: number): Boxes; onMethod(name: string): void; onZoom(node: number): void
}) {
  const now = graph.profile, was = other.profile!, swapped = widths === 'other', shown = swapped ? was : now, older = printable(other.name)
  const totals = useMemo(() => totalsOf(shown, swapped ? now : was), [now, was, swapped])
  const of = useMemo(() => (node: number): Changed => {
    const [a, b] = swapped ? [totals[node], shown.total[node]] : [shown.total[node], totals[node]], unit = now.type!.unit
    const difference = 100 * a / (now.sum || 1) - 100 * b / (was.sum || 1), small = !byValue && Math.abs(difference) < 0.05
    const label = byValue ? a === b ? '' : signed(amount(a - b, unit), a - b) : small ? '' : points(difference)
    return { part: small ? 0 : change(a, now.sum, b, was.sum, byValue), label, sentence: `in ${older} ${amount(b, unit)}, ${percent(b, was.sum)}; now ${amount(a, unit)}, ${percent(a, now.sum)}` }
  }, [totals, byValue])
  const before = useMemo(() => (width: number) => rootDown(was, { node: 0, smallest: 0 }, new Set(), width), [was])
  if (!swapped) return <Flame {...graph} change={of} up={false} root={root} label="flame graph" layout={layout} onZoom={onZoom} />
  const name = (row: number) => was.tree.names[row] ?? '', selected = graph.selected >= 0 ? was.tree.names.indexOf(now.tree.names[graph.selected]) : -1
  return <Flame {...graph} doc={other.doc!} profile={was} selected={selected} at={-1} change={of} up={false} root={0} label="flame graph" layout={before}
    onSelect={row => onMethod(name(row))} onZoom={() => {}} onOpen={() => {}} onMenu={() => {}} onIgnore={() => {}} />
}
