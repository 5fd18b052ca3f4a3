// The page Top: the rows of "nettrace top".
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { By, byKeys } from './by'
import { amount, fit, grouped, percent, percentOf, printable } from './format'
import { Profile, TopRow } from './profile'
import { Column, Table } from './table'

export interface TopProps {
  profile: Profile; rows: TopRow[]; by: By; sort: string; selected: number
  onSort(key: string): void
  onSelect(row: number): void
  onOpen(row: TopRow): void
  onMenu(x: number, y: number, row: number, node: number): void
}

/** Chooses what a row is. */
export function ByChoice({ by, onChange }: { by: By; onChange(by: string): void }) {
  return <label>by <select value={by} onChange={e => onChange(e.currentTarget.value)}>{byKeys.map(k => <option value={k}>{k}</option>)}</select></label>
}

export function Top({ profile, rows, by, sort, selected, onSort, onSelect, onOpen, onMenu }: TopProps) {
  const unit = profile.type?.unit ?? '', [chosen, choose] = useState(''), methods = by === 'method'
  const columns: Column<TopRow>[] = useMemo(() => [
    { key: 'self', title: 'self', right: true, fixed: 90, cell: r => amount(r.self, unit), exact: r => String(r.self), order: (a, b) => b.self - a.self },
    { key: 'selfPercent', title: 'self %', right: true, fixed: 70, cell: r => percent(r.self, profile.sum), exact: r => percentOf(r.self, profile.sum), share: r => r.self / (profile.sum || 1) },
    { key: 'total', title: 'total', right: true, fixed: 90, cell: r => amount(r.total, unit), exact: r => String(r.total), order: (a, b) => b.total - a.total },
    { key: 'totalPercent', title: 'total %', right: true, fixed: 70, cell: r => percent(r.total, profile.sum), exact: r => percentOf(r.total, profile.sum), share: r => r.total / (profile.sum || 1) },
    { key: 'samples', title: 'samples', right: true, fixed: 80, cell: r => grouped(r.samples), exact: r => String(r.samples) },
    { key: 'name', title: by, cell: (r, n) => printable(methods || by === 'type' ? fit(r.name, n) : r.name), exact: r => printable(r.name) },
    ...methods ? [{ key: 'module', title: 'module', fixed: 190, cell: (r: TopRow) => printable(r.module), exact: (r: TopRow) => printable(r.module) }] : [],
  ], [profile, by])
  return <Table label="Methods" columns={columns} rows={rows} sort={sort} onSort={onSort} selected={r => methods ? selected >= 0 && r.row === selected : r.name === chosen}
    onSelect={r => methods ? onSelect(r.row) : choose(r.name)} onOpen={onOpen}
    onMenu={(x, y, r) => r.row >= 0 && onMenu(x, y, r.row, -1)} />
}
