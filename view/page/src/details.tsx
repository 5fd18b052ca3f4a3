// The panel about the selected method.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Doc } from './data'
import { amount, grouped, percent, printable } from './format'
import { Profile, TopRow } from './profile'

export interface DetailsProps {
  doc: Doc; profile: Profile; whole: Profile; row: TopRow | undefined
  onFlag(flag: 'focus' | 'ignore' | 'hide' | 'only'): void
  onSelect(row: number): void
}

/** Returns the sentence about a method that the live region reads. */
export function sentence(p: Profile, row: TopRow): string {
  const unit = p.type?.unit ?? ''
  return `${printable(row.name)}: self ${amount(row.self, unit)}, ${percent(row.self, p.sum)}; total ${amount(row.total, unit)}, ${percent(row.total, p.sum)}`
}

/** Returns callers or callees of a method by value: recursion counts once. */
function neighbours(p: Profile, row: number): { callers: [number, number][]; callees: [number, number][] } {
  const callers = new Map<number, number>(), callees = new Map<number, number>(), { tree } = p
  for (let node = 1; node < tree.parent.length; node++) {
    const parent = tree.parent[node], above = parent > 0 ? tree.row[parent] : -1
    if (tree.row[node] === row && tree.outermost[node]) callers.set(above, (callers.get(above) ?? 0) + p.total[node])
    if (above === row) callees.set(tree.row[node], (callees.get(tree.row[node]) ?? 0) + p.total[node])
  }
  const largest = (m: Map<number, number>) => [...m].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]).slice(0, 5)
  return { callers: largest(callers), callees: largest(callees) }
}

export function Details({ profile, whole, row, onFlag, onSelect }: DetailsProps) {
  const near = useMemo(() => row && row.row >= 0 ? neighbours(profile, row.row) : null, [profile, row])
  if (!row) return <aside aria-label="Details"><h2>Details</h2><p class="muted">Select a method.</p></aside>
  const unit = profile.type?.unit ?? '', line = (name: string, value: number, of: number) => [
    <dt>{name}</dt>, <dd title={String(value)}>{amount(value, unit)} <span class="muted">{percent(value, of)}</span></dd>]
  const list = (title: string, of: [number, number][]) => of.length > 0 && <div><h3>{title}</h3><ul class="near">{of.map(([r, v]) => <li>
    <button disabled={r < 0} onClick={() => onSelect(r)} title={r < 0 ? '' : printable(profile.tree.names[r])}>{r < 0 ? 'no caller' : printable(profile.tree.names[r])}</button>
    <span>{percent(v, profile.sum)}</span></li>)}</ul></div>
  return <aside aria-label="Details">
    <h2>Details</h2>
    <p class="name">{printable(row.name)}</p>
    {row.module && <p class="muted">{printable(row.module)}</p>}
    <dl class="facts">{line('self', row.self, profile.sum)}{line('total', row.total, profile.sum)}{line('of whole trace', row.total, whole.sum)}
      <dt>samples</dt><dd>{grouped(row.samples)}</dd></dl>
    <p class="buttons">{(['focus', 'ignore', 'hide', 'only'] as const).map(flag => <button onClick={() => onFlag(flag)}>{flag[0].toUpperCase() + flag.slice(1)}</button>)}</p>
    {near && list('Callers', near.callers)}
    {near && list('Callees', near.callees)}
  </aside>
}
