// The page counters: a table and a chart of the selected counter.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { palette } from './colors'
import { Counter, Doc } from './data'
import { printable } from './format'
import { Column, Table } from './table'

const text = (n: number) => Number.isInteger(n) ? String(n) : n.toFixed(3)
const last = (c: Counter) => c.values[c.values.length - 1]
const mean = (c: Counter) => c.values.reduce((a, b) => a + b, 0) / c.values.length

const columns: Column<Counter>[] = [
  { key: 'provider', title: 'provider', cell: c => printable(c.provider) },
  { key: 'name', title: 'name', cell: c => printable(c.display || c.name) + (c.tags ? ' ' + printable(c.tags) : ''), exact: c => printable(c.name) },
  { key: 'unit', title: 'unit', fixed: 80, cell: c => printable(c.unit) },
  { key: 'last', title: 'last', right: true, fixed: 110, cell: c => text(last(c)) },
  { key: 'min', title: 'min', right: true, fixed: 110, cell: c => text(Math.min(...c.values)) },
  { key: 'mean', title: 'mean', right: true, fixed: 110, cell: c => text(mean(c)) },
  { key: 'max', title: 'max', right: true, fixed: 110, cell: c => text(Math.max(...c.values)) },
]

/** Identifies a counter, also in the next document of a running process. */
const keyOf = (c: Counter) => [c.process, c.provider, c.name, c.tags].join('\n')

export function Counters({ doc }: { doc: Doc }) {
  const list = doc.head.counters, [chosen, choose] = useState(list[0] && keyOf(list[0])), selected = list.find(c => keyOf(c) === chosen) ?? list[0]
  if (list.length === 0) {
    return <p class="why">The trace has no counters. Record them: <code>nettrace collect -p PID --counters System.Runtime</code></p>
  }
  return <div class="report"><h2>counters</h2>
    {selected && <Chart counter={selected} />}
    <Table label="Counters" columns={columns} rows={list} selected={c => c === selected} onSelect={c => choose(keyOf(c))} /></div>
}

/** A chart of a counter over time. */
function Chart({ counter }: { counter: Counter }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const p = palette(), axis = { stroke: p.muted, grid: { stroke: p.edge, width: 0.3 } }
    const plot = new uPlot({
      width: place.current!.clientWidth, height: 180, scales: { x: { time: false } }, axes: [axis, { ...axis, size: 80 }],
      series: [{ label: 's' }, { label: printable(counter.display || counter.name), stroke: p.states.running, width: 1.5 }],
    }, [counter.at.map(t => t / 1e9), counter.values], place.current!)
    return () => plot.destroy()
  }, [counter])
  return <div class="chart" ref={place} />
}
