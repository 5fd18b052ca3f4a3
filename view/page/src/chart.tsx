// A chart over time: values as a line or as columns, and bars from a beginning to an end.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { palette } from './colors'
import { axisTime, greatest, grouped, least, seconds } from './format'
import { firstAt } from './data'
import { drawn, rectOf, useWidth } from './size'
import { decimalsOf, ticks } from './tracks'

/** What took time: drawn from its beginning to its end, in one of some lanes. */
export interface Bar { from: number; to: number; lane: number; color: 'running' | 'waiting' | 'blocked' | 'gc'; text: string; row: number /* of the report, -1 for none */ }

export interface ChartProps {
  label: string; unit: string; from: number; to: number; at: number[]; values: number[]; height?: number
  columns?: boolean             // a value holds until the next one
  of?: 'waiting' | 'blocked'    // what threads do that are counted, in its colour
  bars?: Bar[]; onBar?(row: number): void
}

const left = 140, bottom = 22, top = 8  // px; the times are below those of the timeline

/** Returns a value with three decimals at most, a large one without. */
export const valueOf = (n: number): string => grouped(Number(n.toFixed(Math.abs(n) < 1000 ? 3 : 0)))

export function Chart({ label, unit, from, to, at, values, height = 180, columns, of, bars = [], onBar }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null), place = useRef<HTMLDivElement>(null), width = useWidth(place), [hover, setHover] = useState(-1), [on, setOn] = useState<Bar | null>(null), theme = palette()
  const low = Math.min(0, least(values)), high = greatest(values) > low ? greatest(values) : low + 1, strip = columns && bars.length > 0 ? 8 : 0  // bars are above columns
  const deep = strip || (height - bottom - top) / (greatest(bars.map(b => b.lane)) + 1)
  const x = (t: number) => left + (t - from) / (to - from) * (width - left), y = (v: number) => height - bottom - (v - low) / (high - low) * (height - bottom - top - strip)
  useEffect(() => {
    const c = drawn(canvas.current!, width, height), times = ticks(from, to, (width - left) / 90), decimals = decimalsOf(times)
    const line = (text: string, tx: number, ty: number, rect: [number, number, number, number]) => {
      c.fillStyle = theme.line
      c.fillRect(...rect)
      c.fillStyle = theme.muted
      c.fillText(text, tx, ty)
    }
    for (const t of times) line(axisTime(t, decimals), x(t) + 3, height - 6, [x(t), top, 1, height - top])
    for (const b of bars) {
      const begin = Math.max(x(b.from), left), end = Math.min(x(b.to), width)
      c.fillStyle = theme.states[b.color]
      if (end >= left && begin <= width) c.fillRect(begin, top + b.lane * deep, Math.max(end - begin, 1), Math.max(deep - (deep > 3 ? 1 : 0), 1))
    }
    c.textAlign = 'right'
    if (values.length > 0) for (const v of ticks(low, high, height < 100 ? 3 : 5)) line(valueOf(v), left - 6, y(v) + 4, [left, y(v), width - left, 1])
    c.strokeStyle = c.fillStyle = of === 'waiting' ? theme.edge : theme.states[of ?? 'running']
    c.lineWidth = 1.5
    c.miterLimit = 1  // a spike ends at its value
    c.beginPath()
    if (columns) values.forEach((v, i) => c.fillRect(x(at[i]), y(v), Math.max((i + 1 < at.length ? x(at[i + 1]) : width) - x(at[i]), 1), y(0) - y(v)))
    else values.forEach((v, i) => c.lineTo(x(at[i]), y(v)))
    c.stroke()
    if (!columns) for (const i of values.length < 40 ? values.keys() : [hover]) if (i >= 0) c.fillRect(x(at[i]) - 2, y(values[i]) - 2, 4, 4)
  }, [width, from, to, at, values, bars, hover, theme])
  const barAt = (e: MouseEvent) => {
    const r = rectOf(canvas), px = e.clientX - r.left, lane = Math.floor((e.clientY - r.top - top) / deep)
    return bars.filter(b => b.lane === lane && x(b.from) - 2 <= px && px <= x(b.to) + 2).pop() ?? null
  }
  const move = (e: MouseEvent) => {
    setOn(barAt(e))
    if (columns) return setHover(firstAt(at, 0, at.length, from + (e.clientX - rectOf(canvas).left - left) / (width - left) * (to - from)) - 1)
    const t = from + (e.clientX - rectOf(canvas).left - left) / (width - left) * (to - from), next = firstAt(at, 0, at.length, t)
    setHover(next > 0 && (next === at.length || t - at[next - 1] < at[next] - t) ? next - 1 : next)
  }
  const text = on ? on.text : values.length === 0 ? label : `${label}${unit ? `, ${unit}` : ''}: ${hover < 0 ? `${grouped(values.length)} values from ${valueOf(least(values))} to ${valueOf(greatest(values))}` : `${valueOf(values[hover])} at ${seconds(at[hover])}`}`
  return <div class="chart" ref={place}><p class="muted">{text}</p>
    <canvas ref={canvas} role="img" aria-label={text} style={{ width: width + 'px', height: height + 'px' }} onMouseMove={move}
      onMouseLeave={() => {
        setHover(-1)
        setOn(null)
      }} onClick={e => {
        const b = barAt(e)
        if (b && b.row >= 0) onBar?.(b.row)
      }} /></div>
}
