// A chart of values over time.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { palette } from './colors'
import { greatest, grouped, least, seconds } from './format'
import { firstAt } from './data'
import { drawn, rectOf, useWidth } from './size'
import { decimalsOf, ticks } from './tracks'

export interface ChartProps { label: string; unit: string; from: number; to: number; at: number[]; values: number[]; height?: number }

const left = 140, bottom = 22, top = 8  // px; the times are below those of the timeline

/** Returns a value with three decimals at most, a large one without. */
export const valueOf = (n: number): string => grouped(Number(n.toFixed(Math.abs(n) < 1000 ? 3 : 0)))

export function Chart({ label, unit, from, to, at, values, height = 180 }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null), place = useRef<HTMLDivElement>(null), width = useWidth(place), [hover, setHover] = useState(-1), theme = palette()
  const low = Math.min(0, least(values)), high = greatest(values) > low ? greatest(values) : low + 1
  const x = (t: number) => left + (t - from) / (to - from) * (width - left), y = (v: number) => height - bottom - (v - low) / (high - low) * (height - bottom - top)
  useEffect(() => {
    const c = drawn(canvas.current!, width, height), times = ticks(from, to, (width - left) / 90), decimals = decimalsOf(times)
    const line = (text: string, tx: number, ty: number, rect: [number, number, number, number]) => {
      c.fillStyle = theme.line
      c.fillRect(...rect)
      c.fillStyle = theme.muted
      c.fillText(text, tx, ty)
    }
    for (const t of times) line(seconds(t, decimals), x(t) + 3, height - 6, [x(t), top, 1, height - top])
    c.textAlign = 'right'
    for (const v of ticks(low, high, 5)) line(valueOf(v), left - 6, y(v) + 4, [left, y(v), width - left, 1])
    c.strokeStyle = c.fillStyle = theme.states.running
    c.lineWidth = 1.5
    c.miterLimit = 1  // a spike ends at its value
    c.beginPath()
    values.forEach((v, i) => c.lineTo(x(at[i]), y(v)))
    c.stroke()
    for (const i of values.length < 40 ? values.keys() : [hover]) if (i >= 0) c.fillRect(x(at[i]) - 2, y(values[i]) - 2, 4, 4)
  }, [width, from, to, at, values, hover, theme])
  const move = (e: MouseEvent) => {
    const t = from + (e.clientX - rectOf(canvas).left - left) / (width - left) * (to - from), next = firstAt(at, 0, at.length, t)
    setHover(next > 0 && (next === at.length || t - at[next - 1] < at[next] - t) ? next - 1 : next)
  }
  const text = `${label}${unit ? `, ${unit}` : ''}: ${hover < 0 ? `${grouped(values.length)} values from ${valueOf(least(values))} to ${valueOf(greatest(values))}` : `${valueOf(values[hover])} at ${seconds(at[hover])}`}`
  return <div class="chart" ref={place}><p class="muted">{text}</p>
    <canvas ref={canvas} role="img" aria-label={text} style={{ width: width + 'px', height: height + 'px' }} onMouseMove={move} onMouseLeave={() => setHover(-1)} /></div>
}
