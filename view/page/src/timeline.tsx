// The timeline: an axis, pauses and a track for each thread. A drag sets the range.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { palette } from './colors'
import { Doc, SampleType, Samples, firstAt } from './data'
import { amount, counted, printable, seconds, within } from './format'
import { Range, samplesOf } from './profile'
import { markText } from './rowlink'
import { rectOf, useWidth } from './size'
import { Splitter } from './splitter'
import { axis, laneRow, names, paintTimeline, row } from './timelinepaint'
import { activity, kindOf, lanes, overview, track } from './tracks'

const most = 15, few = 3, phone = 500, edge = 6  // tracks, those on a phone, and px
const apart = 100           // ms between the changes of a drag

export interface TimelineProps {
  main: Doc  // whose marks are shown
  doc: Doc; type: SampleType | null; range: Range; zoom: Range; threads: boolean[]
  marked: Uint8Array | null   // nodes of the document with the selected method
  cursor: { current: number | null }
  onRange(from: number, to: number, first: boolean): void
  onZoom(zoom: Range): void
  onThread(id: string, add: boolean): void
  onMark(part: string, from: number, to: number, sample: number): void  // sample: of the part's type, -1 for none
  onHover(text: string): void
}

interface Drag { x: number; time: number; range: Range; mode: 'from' | 'to' | 'move' | 'new'; moved: boolean; shown: number }

export function Timeline(props: TimelineProps) {
  const { doc, type, zoom, range } = props, { head } = doc, scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null)
  const width = useWidth(scroller), [all, setAll] = useState(false), [live, setLive] = useState<Range | null>(null), [cursor, setCursor] = useState<number | null>(null)
  const drag = useRef<Drag | null>(null), theme = palette()
  const samples = type ? samplesOf(doc, type) : null, wall = type?.name === 'wall' || type?.of === 'wall', usual = !type || wall ? -1 : kindOf(type)
  const order = useMemo(() => samples ? activity(doc, samples, wall) : [], [samples, wall]), rows = useMemo(() => lanes(props.main), [props.main])
  const first = width > 0 && width < phone ? few : most, shown = all ? order : order.slice(0, first), columns = Math.max(Math.floor(width - names), 0), drawn = live ?? range
  const parts = useMemo(() => samples && columns > 0 ? {
    sum: overview(samples, usual, zoom.from, zoom.to, columns), shares: shown.map(t => track(samples, t.thread, usual, zoom.from, zoom.to, columns)),
  } : { sum: new Float32Array(), shares: [] }, [samples, usual, zoom.from, zoom.to, columns, all, first])
  const selected = useMemo(() => shown.map(t => samples && props.marked ? columnsWith(samples, t.thread, props.marked, zoom, columns) : null),
    [samples, props.marked, zoom.from, zoom.to, columns, all, first])
  const top = axis + rows.length * laneRow, height = top + (shown.length > 0 ? (shown.length + 1) * row : 0)
  useEffect(() => paintTimeline(canvas.current!, {
    width, height, columns, zoom, range: drawn, palette: theme, lost: head.lost, lanes: rows, sum: parts.sum, shown, shares: parts.shares, kind: Math.max(usual, 0), sampled: wall, selected,
    cursor: cursor ?? (zoom.from + zoom.to) / 2,
  }), [width, height, parts, drawn.from, drawn.to, zoom.from, zoom.to, theme, selected, cursor])
  const at = (e: MouseEvent) => {
    const r = rectOf(canvas), part = (e.clientX - r.left - names) / columns
    return { x: e.clientX - r.left, y: e.clientY - r.top, time: Math.round(zoom.from + within(part, 0, 1) * (zoom.to - zoom.from)) }
  }
  const pixels = (time: number) => names + (time - zoom.from) / (zoom.to - zoom.from) * columns
  const mark = (p: { x: number; y: number; time: number }) => {
    const lane = rows[Math.floor((p.y - axis) / laneRow)], near = 3 * (zoom.to - zoom.from) / columns
    if (p.y < axis || !lane) return undefined
    const at = (by: number) => lane.from.findIndex((from, i) => p.time >= from - by && p.time <= lane.to[i] + by), exact = at(0), found = exact < 0 ? at(near) : exact
    return found < 0 ? undefined : { part: lane.part, from: lane.from[found], to: Math.max(lane.to[found], lane.from[found] + 1), sample: lane.sample ? lane.sample[found] : -1 }
  }
  const down = (e: PointerEvent) => {
    const p = at(e), from = Math.abs(p.x - pixels(range.from)), to = Math.abs(p.x - pixels(range.to)), reach = p.y < axis ? 2 * edge : edge
    if (e.button !== 0 || p.x < names) return
    canvas.current!.setPointerCapture(e.pointerId)
    const whole = range.from <= zoom.from && range.to >= zoom.to, inside = p.time > range.from && p.time < range.to
    const mode = Math.min(from, to) <= reach ? from < to ? 'from' : 'to' : inside && !whole ? 'move' : 'new'
    drag.current = { x: p.x, time: p.time, range, mode, moved: false, shown: 0 }
  }
  const hover = (p: { x: number; y: number; time: number }) => {
    const t = shown[Math.floor((p.y - top) / row) - 1], thread = t && head.threads[t.thread], m = mark(p)
    const day = new Date(Date.parse(head.syncTime) + p.time / 1e6)
    props.onHover(`${seconds(p.time)} (${day.toISOString().slice(11, 23)} UTC)` + (thread ? `, ${printable(`${thread.id} ${thread.name ?? ''}`)}` : '') +
      (m ? `, ${m.part} ${seconds(m.from)}${m.to > m.from + 1 ? ', ' + amount(m.to - m.from, 'nanoseconds') : ''}${m.sample < 0 ? '' : ', ' + markText(props.main, m.part, m.sample)}` : ''))
    canvas.current!.style.cursor = drag.current ? '' : Math.min(Math.abs(p.x - pixels(range.from)), Math.abs(p.x - pixels(range.to))) <= edge ? 'ew-resize' : m ? 'pointer' : ''
  }
  const move = (e: PointerEvent, done: boolean) => {
    const d = drag.current, p = at(e)
    setCursor(props.cursor.current = p.x >= names ? p.time : null)
    hover(p)
    if (!d) return
    if (done) drag.current = null
    if (!d.moved && Math.abs(p.x - d.x) < 3) {
      const m = done && mark(p)
      if (m) props.onMark(m.part, m.from, m.to, m.sample)
      return
    }
    const r = dragged(d, p.time, { from: head.startNs, to: head.endNs }), now = performance.now()
    if (done || now - d.shown >= apart) {
      props.onRange(r.from, r.to, !d.moved)
      d.moved = true
      d.shown = now
    }
    setLive(done ? null : r)
  }
  const scale = (factor: number, center: number) => {
    const from = Math.max(head.startNs, center - (center - zoom.from) * factor), to = Math.min(head.endNs, center + (zoom.to - center) * factor)
    if (to - from > 1000) props.onZoom({ from: Math.round(from), to: Math.round(to) })
  }
  return <section class="timeline" aria-label="Timeline"><div class="scroll" ref={scroller}>
    <canvas ref={canvas} style={{ width: width + 'px', height: height + 'px' }} onPointerDown={down} onPointerMove={e => move(e, false)} onPointerUp={e => move(e, true)}
      onPointerLeave={() => {
        setCursor(props.cursor.current = null)
        props.onHover('')
      }}
      onDblClick={e => {
        const p = at(e)
        if (p.time >= range.from && p.time <= range.to) props.onZoom({ ...range })
      }}
      onWheel={e => {
        if (!e.ctrlKey && !e.shiftKey) return
        e.preventDefault()
        const p = at(e)
        if (e.ctrlKey) return scale(e.deltaY > 0 ? 1.25 : 0.8, p.time)
        const by = Math.sign(e.deltaY || e.deltaX) * (zoom.to - zoom.from) / 10
        const from = within(zoom.from + by, head.startNs, head.endNs - (zoom.to - zoom.from))
        props.onZoom({ from: Math.round(from), to: Math.round(from + zoom.to - zoom.from) })
      }} />
    {(['from', 'to'] as const).map(end => <End end={end} range={range} bounds={{ from: head.startNs, to: head.endNs }} step={(zoom.to - zoom.from) / Math.max(columns, 1)}
      x={within(pixels(range[end]), names, width)} onChange={props.onRange} />)}
    <ul class="lanes" style={{ top: axis + 'px' }} aria-label="Marks">{rows.map(l => <li class="lane" aria-label={l.sentence}>{l.part}</li>)}{shown.length > 0 && <li>all threads</li>}</ul>
    <ul class="threads" style={{ top: top + row + 'px' }} aria-label="Threads">{shown.map(t => {
      const thread = head.threads[t.thread], name = printable(`${thread.id} ${thread.name ?? ''}`.trim())
      const text = wall ? `${Math.round(100 * t.active / (t.all || 1))} % running` : counted(t.active, 'sample')
      return <li><button title={`${name}: ${text}`} aria-label={`${name}: ${text}`} aria-pressed={props.threads[t.thread]} class={props.threads[t.thread] ? '' : 'muted'}
        onClick={e => props.onThread(thread.id, e.ctrlKey || e.metaKey)}>{name}</button></li>
    })}</ul>
    {order.length > first && <button class="more" onClick={() => setAll(!all)}>
      {all ? 'Show fewer threads' : `${counted(order.length - first, 'thread')} with less activity not shown: show`}</button>}
  </div><Splitter part="timeline" label="Height of the timeline" /></section>
}

/** Returns the range that a drag leads to. */
function dragged(d: Drag, time: number, bounds: Range): Range {
  if (d.mode === 'move') {
    const length = Math.min(d.range.to, bounds.to) - Math.max(d.range.from, bounds.from)
    const from = within(Math.max(d.range.from, bounds.from) + time - d.time, bounds.from, bounds.to - length)
    return { from, to: from + length }
  }
  const other = d.mode === 'from' ? d.range.to : d.mode === 'to' ? d.range.from : d.time
  return { from: Math.min(other, time), to: Math.max(other, time) }
}

/** Returns the columns with samples of marked nodes. */
function columnsWith(s: Samples, thread: number, marked: Uint8Array, zoom: Range, columns: number): Uint8Array {
  const found = new Uint8Array(columns), scale = columns / (zoom.to - zoom.from), end = firstAt(s.at, s.offsets[thread], s.offsets[thread + 1], zoom.to)
  for (let i = firstAt(s.until, s.offsets[thread], end, zoom.from); i < end; i++) {
    if (!marked[s.node[i]]) continue
    const from = Math.max(Math.floor((s.at[i] - zoom.from) * scale), 0), to = s.timed ? (s.end[i] - zoom.from) * scale : from + 1
    found.fill(1, from, Math.max(Math.ceil(to), from + 1))
  }
  return found
}

interface EndProps { end: 'from' | 'to'; range: Range; bounds: Range; step: number; x: number; onChange(from: number, to: number, first: boolean): void }

/** An end of the range for the keyboard. */
function End({ end, range, bounds, step, x, onChange }: EndProps) {
  const value = range[end], last = useRef(-Infinity)
  const onKey = (e: KeyboardEvent) => {
    const by = e.shiftKey ? 10 * step : step
    const to: Record<string, number> = {
      ArrowLeft: value - by, ArrowDown: value - by, ArrowRight: value + by, ArrowUp: value + by, PageDown: value - 50 * step, PageUp: value + 50 * step,
      Home: bounds.from, End: bounds.to,
    }
    if (!(e.key in to)) return
    e.preventDefault()
    const time = Math.round(within(to[e.key], bounds.from, bounds.to)), now = performance.now(), first = now - last.current > 1000
    last.current = now
    if (end === 'from') onChange(Math.min(time, range.to), range.to, first)
    else onChange(range.from, Math.max(time, range.from), first)
  }
  return <div class="end" role="slider" tabIndex={0} aria-label={end === 'from' ? 'Beginning of the range (--from)' : 'End of the range (--to)'} aria-valuemin={bounds.from / 1e9}
    aria-valuemax={bounds.to / 1e9} aria-valuenow={value / 1e9} aria-valuetext={seconds(value)} style={{ left: x + 'px' }} onKeyDown={onKey} />
}
