// The page Top: the rows of "nettrace top".
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { amount, fit, grouped, percent, printable } from './format'
import { Profile, TopRow } from './profile'
import { Column, Table } from './table'

export interface TopProps {
  profile: Profile; rows: TopRow[]; sort: string; selected: number
  onSort(key: string): void
  onSelect(row: number): void
  onOpen(row: TopRow): void
  onMenu(x: number, y: number, row: number, node: number): void
}

export function Top({ profile, rows, sort, selected, onSort, onSelect, onOpen, onMenu }: TopProps) {
  const unit = profile.type?.unit ?? ''
  const columns: Column<TopRow>[] = useMemo(() => [
    { key: 'self', title: 'self', right: true, fixed: 90, cell: r => amount(r.self, unit), exact: r => String(r.self), order: (a, b) => b.self - a.self },
    { key: 'selfPercent', title: 'self %', right: true, fixed: 70, cell: r => percent(r.self, profile.sum), share: r => r.self / (profile.sum || 1) },
    { key: 'total', title: 'total', right: true, fixed: 90, cell: r => amount(r.total, unit), exact: r => String(r.total), order: (a, b) => b.total - a.total },
    { key: 'totalPercent', title: 'total %', right: true, fixed: 70, cell: r => percent(r.total, profile.sum), share: r => r.total / (profile.sum || 1) },
    { key: 'samples', title: 'samples', right: true, fixed: 80, cell: r => grouped(r.samples) },
    { key: 'method', title: 'method', cell: (r, n) => printable(fit(r.name, n)), exact: r => printable(r.name) },
    { key: 'module', title: 'module', fixed: 190, cell: r => printable(r.module), exact: r => printable(r.module) },
  ], [profile])
  return <Table label="Methods" columns={columns} rows={rows} sort={sort} onSort={onSort} selected={r => r.row === selected} onSelect={r => onSelect(r.row)} onOpen={onOpen}
    onMenu={(x, y, r) => r.row >= 0 && onMenu(x, y, r.row, -1)} />
}
