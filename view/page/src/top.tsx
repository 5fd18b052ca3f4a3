// The page Top: the rows of "nettrace top".
import { h } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { By } from './by'
import { amount, fit, grouped, percent, percentOf, printable } from './format'
import { Profile, TopRow } from './profile'
import { Column, Table, numbers, texts } from './table'

export interface TopProps {
  profile: Profile; rows: TopRow[]; by: By; sort: string; selected: number
  onSort(key: string): void
  onSelect(row: number): void
  onOpen(row: TopRow): void
  onMenu(x: number, y: number, row: number, node: number): void
}

export function Top({ profile, rows, by, sort, selected, onSort, onSelect, onOpen, onMenu }: TopProps) {
  const unit = profile.type?.unit ?? '', [chosen, choose] = useState(''), methods = by === 'method'
  const columns: Column<TopRow>[] = useMemo(() => [
    ...(['self', 'total'] as const).flatMap((key): Column<TopRow>[] => [numbers(key, key, 90, r => r[key], n => amount(n, unit), true),
      { key: key + 'Percent', title: key + ' %', right: true, fixed: 70, cell: r => percent(r[key], profile.sum), exact: r => percentOf(r[key], profile.sum), share: r => r[key] / (profile.sum || 1) }]),
    numbers('samples', 'samples', 80, r => r.samples, grouped),
    { key: 'name', title: by, cell: (r, n) => printable(methods || by === 'type' ? fit(r.name, n) : r.name), exact: r => printable(r.name) },
    ...methods ? [texts<TopRow>('module', r => r.module, 190)] : [],
  ], [profile, by])
  return <Table label="Methods" columns={columns} rows={rows} sort={sort} onSort={onSort} selected={r => methods ? selected >= 0 && r.row === selected : r.name === chosen}
    onSelect={r => methods ? onSelect(r.row) : choose(r.name)} onOpen={onOpen}
    onMenu={(x, y, r) => r.row >= 0 && onMenu(x, y, r.row, -1)} />
}
