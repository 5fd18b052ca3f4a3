// The page counters: the rows of the report, and a chart of the selected counter.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Chart, valueOf } from './chart'
import { palette } from './colors'
import { Counter, Doc, Row } from './data'
import { Findings } from './findings'
import { greatest, least, printable } from './format'
import { Column, Table, texts } from './table'

/** A row of the report and its values, if it has some. */
interface CounterRow { row: Row; key: string; counter?: Counter }

const keyOf = (...names: unknown[]) => names.join('\n'), text = (value: unknown) => printable(String(value ?? ''))

/** Returns the rows of the reports about counters. */
export function countersOf({ head }: Doc): CounterRow[] {
  const values = new Map(head.counters.map(c => [keyOf(c.process, c.provider, c.name, c.tags), c]))
  return (head.parts.counters ?? []).flatMap(r => (r.rows ?? []).map(row => {
    const key = keyOf(r.processId ?? 0, row.provider, row.name, row.tags ?? '')
    return { row, key, counter: values.get(key) }
  }))
}

const number = (key: string, title: string, of: (r: Row) => unknown): Column<CounterRow> => ({
  key, title, right: true, fixed: 100, cell: c => typeof of(c.row) === 'number' ? valueOf(of(c.row) as number) : '', exact: c => String(of(c.row) ?? ''),
})

const unitOf = (r: Row) => text(r.unit) + (r.shows === 'rate' ? '/s' : ''), nameOf = (r: Row) => text(r.display || r.name) + (r.ended ? ', ended' : '')
const p95 = (r: Row) => (r.quantiles as { quantile: number; max: number }[] | undefined)?.find(q => q.quantile === 0.95)?.max
const anomalies = (r: Row) => (r.anomalies as { kind: string }[] | undefined)?.map(a => a.kind).join(', ') ?? ''

const columns: Column<CounterRow>[] = [
  texts('provider', c => c.row.provider),
  { key: 'name', title: 'name', cell: c => nameOf(c.row), exact: c => text(c.row.name) },
  texts('tags', c => c.row.tags), texts('unit', c => unitOf(c.row), 80),
  ...['last', 'min', 'mean', 'max'].map(key => number(key, key, r => r[key])), number('p95', 'p95', p95),
  { key: 'values', title: 'over time', fixed: 116, cell: c => c.counter && <Sparkline values={c.counter.values} />, text: c => c.counter?.values.join(' ') ?? '' },
  number('measurements', 'measured', r => r.measurements), texts('anomaly', c => anomalies(c.row), 100),
]

/** Returns what the report says about the recording of counters. */
function notesOf(totals: Row | undefined): string[] {
  const of = (key: string) => (totals?.[key] ?? []) as Row[], list = of('errors').map(e => `${e.callback ? 'The callback of an instrument' : 'The session of the Meters'} failed: ${String(e.text).split('\n')[0]}`)
  if (of('withoutValue').length) list.push('Without a value: ' + of('withoutValue').map(i => `${i.provider}/${i.name}`).join(', '))
  for (const [key, what] of [['timeSeriesLimit', 'time series'], ['histogramLimit', 'histograms']]) if (totals?.[key]) list.push(`The process had more ${what} than the recording requested, and left some out`)
  for (const [key, what] of [['leftOutValues', 'Values without a row because of the limit'], ['malformedEvents', 'Malformed events']]) if (totals?.[key]) list.push(`${what}: ${totals[key]}`)
  return list
}

export function Counters({ doc }: { doc: Doc }) {
  const list = useMemo(() => countersOf(doc), [doc]), [chosen, choose] = useState(''), selected = list.find(c => c.key === chosen) ?? list[0], shown = selected?.counter
  const reports = doc.head.parts.counters ?? [], notes = reports.flatMap(r => notesOf(r.totals)).map(n => <p class="muted">{printable(n)}</p>)
  if (list.length === 0) {
    return <div class="report"><p class="why">The trace has no values of counters. Record them: <code>nettrace collect -p PID --counters System.Runtime</code></p>{notes}</div>
  }
  return <div class="report"><h2>counters</h2>
    <Findings list={reports.flatMap(r => r.findings)} />{notes}
    {shown && <Chart label={[nameOf(selected.row), text(selected.row.tags)].filter(Boolean).join(' ')} unit={unitOf(selected.row)} from={doc.head.startNs} to={doc.head.endNs} at={shown.at} values={shown.values} />}
    <Table label="Counters" columns={columns} rows={list} selected={c => c === selected} onSelect={c => choose(c.key)} /></div>
}

/** The values of a counter as a line without axes. */
function Sparkline({ values }: { values: number[] }) {
  const canvas = useRef<HTMLCanvasElement>(null), theme = palette()
  useEffect(() => {
    const c = canvas.current!.getContext('2d')!, low = least(values), high = greatest(values), length = values.length - 1 || 1
    c.clearRect(0, 0, 100, 20)
    c.strokeStyle = theme.states.running
    c.beginPath()
    values.forEach((v, i) => c.lineTo(1 + i / length * 98, high > low ? 18 - (v - low) / (high - low) * 16 : 10))
    c.stroke()
  }, [values, theme])
  return <canvas ref={canvas} width={100} height={20} aria-hidden="true" />
}
