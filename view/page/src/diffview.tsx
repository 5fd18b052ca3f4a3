// The difference to an older trace: the options, the table Top and the colours of the flame graph.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Boxes, rootDown } from './boxes'
import { Change, Other, change, changes, totalsOf } from './diff'
import { Flame, FlameProps } from './flame'
import { Changed } from './flamepaint'
import { amount, fit, percent, percentOf, printable } from './format'
import { Choice } from './options'
import { Profile } from './profile'
import { Column, Table } from './table'

/** What the page is compared with. */
export function Compared({ other, up, flame, more, onMore }: {
  other: Other; up: boolean; flame: boolean; more: Record<string, string>; onMore(key: string, value: string): void
}) {
  const older = printable(other.name)
  if (!other.profile) return <span class="muted">Not compared with {older}: {printable(other.why)}</span>
  if (up) return <span class="muted">Leaf up shows no changes since {older}.</span>
  return <span class="compared"><span class="muted">changes since {older} ({amount(other.profile.sum, other.profile.type!.unit)})</span>
    {flame && <Choice label="Widths" value={more.widths ?? ''} values={[['', 'Widths now'], ['other', 'Widths before']]} onChange={v => onMore('widths', v)} />}
    <label><input type="checkbox" checked={more.change === 'value'} onChange={e => onMore('change', e.currentTarget.checked ? 'value' : '')} />by value</label></span>
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
  const columns: Column<Change>[] = useMemo(() => [
    { key: 'self', title: 'self', right: true, fixed: 96, cell: r => amount(r.self, unit), exact: r => String(r.self), order: () => 0 },
    { key: 'selfChange', title: 'change', right: true, fixed: 106, cell: r => value(r.self - r.selfBefore), exact: r => String(r.self - r.selfBefore) },
    { key: 'share', title: 'share', right: true, fixed: 66, cell: r => percent(r.self, profile.sum), text: r => percentOf(r.self, profile.sum) },
    { key: 'points', title: 'points', right: true, fixed: 64, cell: r => points(r.share - r.shareBefore), exact: r => `${r.shareBefore} % before`, text: r => String(r.share - r.shareBefore) },
    { key: 'se', title: 'SE', right: true, fixed: 70, cell: r => points(r.errors), exact: () => 'the change by its standard error; below 2 it may be chance', text: r => String(r.errors) },
    { key: 'total', title: 'total', right: true, fixed: 96, cell: r => amount(r.total, unit), exact: r => String(r.total), order: () => 0 },
    { key: 'totalChange', title: 'change', right: true, fixed: 106, cell: r => value(r.total - r.totalBefore), exact: r => String(r.total - r.totalBefore) },
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
