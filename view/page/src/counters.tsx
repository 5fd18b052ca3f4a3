// The page counters: a table and a chart of the selected counter.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Chart, valueOf } from './chart'
import { palette } from './colors'
import { Counter, Doc } from './data'
import { Findings } from './findings'
import { greatest, least, printable } from './format'
import { Column, Table } from './table'

const number = (key: string, of: (values: number[]) => number): Column<Counter> => ({ key, title: key, right: true, fixed: 110, cell: c => valueOf(of(c.values)), exact: c => String(of(c.values)) })

const columns: Column<Counter>[] = [
  { key: 'provider', title: 'provider', cell: c => printable(c.provider) },
  { key: 'name', title: 'name', cell: c => printable(c.display || c.name) + (c.tags ? ' ' + printable(c.tags) : ''), exact: c => printable(c.name) },
  { key: 'unit', title: 'unit', fixed: 80, cell: c => printable(c.unit) },
  number('last', list => list[list.length - 1]), number('min', least), number('mean', list => list.reduce((a, b) => a + b, 0) / list.length), number('max', greatest),
  { key: 'values', title: 'over time', fixed: 116, cell: c => <Sparkline values={c.values} />, text: c => c.values.join(' ') },
]

/** Identifies a counter, also in the next document of a running process. */
const keyOf = (c: Counter) => [c.process, c.provider, c.name, c.tags].join('\n')

export function Counters({ doc }: { doc: Doc }) {
  const list = doc.head.counters, [chosen, choose] = useState(list[0] && keyOf(list[0])), selected = list.find(c => keyOf(c) === chosen) ?? list[0]
  if (list.length === 0) {
    return <p class="why">The trace has no counters. Record them: <code>nettrace collect -p PID --counters System.Runtime</code></p>
  }
  return <div class="report"><h2>counters</h2>
    <Findings list={(doc.head.parts.counters ?? []).flatMap(r => r.findings)} />
    {selected && <Chart label={printable(selected.display || selected.name)} unit={printable(selected.unit)} from={doc.head.startNs} to={doc.head.endNs} at={selected.at} values={selected.values} />}
    <Table label="Counters" columns={columns} rows={list} selected={c => c === selected} onSelect={c => choose(keyOf(c))} /></div>
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
