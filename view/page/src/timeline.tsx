// The timeline: an axis, pauses and a track for each thread. A drag sets the range.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { palette } from './colors'
import { Doc, SampleType } from './data'
import { counted, printable, seconds } from './format'
import { Range, samplesOf } from './profile'
import { activity, kinds, ticks, track } from './tracks'

const names = 150, axis = 20, row = 16, first = 15, edge = 5  // px, and tracks

export interface TimelineProps {
  doc: Doc; type: SampleType | null; range: Range; zoom: Range; threads: boolean[]
  onRange(from: number, to: number, done: boolean): void
  onZoom(zoom: Range): void
  onThread(id: string, add: boolean): void
  onMark(from: number, to: number): void
}

export function Timeline(props: TimelineProps) {
  const { doc, type, zoom, range } = props, scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null)
  const [width, setWidth] = useState(0), [all, setAll] = useState(false)
  const drag = useRef<{ from: number; start: number; to: number; mode: string } | null>(null)
  const samples = type ? samplesOf(doc, type) : null, wall = type?.name === 'wall' || type?.of === 'wall'
  const order = useMemo(() => samples ? activity(doc, samples, wall) : [], [samples, wall])
  const shown = all ? order : order.slice(0, first), pauses = doc.head.marks.filter(m => m.kind === 'pause'), top = axis + (pauses.length ? row : 0)
  const columns = Math.max(Math.floor(width - names), 0)
  const shares = useMemo(() => samples && columns > 0 ? shown.map(t => track(samples, t.thread, wall, zoom.from, zoom.to, columns)) : [],
    [samples, wall, zoom.from, zoom.to, columns, all])
  useEffect(() => {
    const measure = () => setWidth(old => scroller.current?.clientWidth ?? old)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [])
  const height = top + shown.length * row
  useEffect(() => {
    const p = palette(), el = canvas.current!, ratio = devicePixelRatio || 1, c = el.getContext('2d')!
    el.width = width * ratio
    el.height = height * ratio
    c.scale(ratio, ratio)
    c.font = '11px system-ui, sans-serif'
    c.textBaseline = 'middle'
    const x = (at: number) => names + (at - zoom.from) / (zoom.to - zoom.from) * columns
    c.fillStyle = p.muted
    const list = ticks(zoom.from, zoom.to, columns / 90), step = list.length > 1 ? list[1] - list[0] : 1e9
    const decimals = Math.max(0, Math.min(9, 9 - Math.floor(Math.log10(step))))
    for (const at of list) {
      c.fillText(seconds(at, decimals), x(at) + 3, axis / 2)
      c.fillRect(x(at), 0, 1, height)
    }
    shown.forEach((t, k) => {
      const y = top + k * row, share = shares[k], thread = doc.head.threads[t.thread]
      c.fillStyle = props.threads[t.thread] ? p.text : p.muted
      c.fillText(printable(`${thread.id} ${thread.name ?? ''}`), 4, y + row / 2, names - 8)
      if (!share) return
      for (let column = 0; column < columns; column++) {
        const [running, waiting, blocked] = [0, 1, 2].map(i => share[column * kinds.length + i])
        if (waiting + running + blocked === 0) continue
        const cell = (color: string, part: number, most: number) => {
          const tall = Math.min(part, 1) * most
          c.fillStyle = color
          c.fillRect(names + column, y + row - 1 - tall, 1, tall)
        }
        if (waiting > 0) cell(p.states.waiting, 1, (row - 2) / 2)
        if (running > 0) cell(p.states.running, Math.max(running, 0.15), row - 2)
        if (blocked > 0) cell(p.states.blocked, Math.max(blocked, 0.15), row - 2)
      }
    })
    if (pauses.length) {
      c.fillStyle = p.text
      c.fillText('gc', 4, axis + row / 2)
      c.fillStyle = p.states.gc
      for (const m of pauses) c.fillRect(x(m.fromNs), axis + 2, Math.max(x(m.toNs) - x(m.fromNs), 1), row - 4)
    }
    if (range.from > zoom.from || range.to < zoom.to) {
      c.fillStyle = p.dark ? '#14171caa' : '#ffffffaa'
      const a = Math.max(x(range.from), names), b = Math.min(x(range.to), width)
      if (a > names) c.fillRect(names, axis, a - names, height)
      if (b < width) c.fillRect(b, axis, width - b, height)
      c.fillStyle = p.states.running
      c.fillRect(a, 0, 2, height)
      c.fillRect(b - 2, 0, 2, height)
    }
  }, [width, height, shares, range.from, range.to, zoom.from, zoom.to, props.threads])
  const at = (e: MouseEvent) => {
    const r = canvas.current!.getBoundingClientRect(), part = (e.clientX - r.left - names) / columns
    return { x: e.clientX - r.left, y: e.clientY - r.top, time: Math.round(zoom.from + Math.min(Math.max(part, 0), 1) * (zoom.to - zoom.from)) }
  }
  const pixels = (time: number) => names + (time - zoom.from) / (zoom.to - zoom.from) * columns
  const down = (e: PointerEvent) => {
    const p = at(e)
    if (e.button !== 0 || p.x < names) return
    canvas.current!.setPointerCapture(e.pointerId)
    const mode = Math.abs(p.x - pixels(range.from)) <= edge ? 'from' : Math.abs(p.x - pixels(range.to)) <= edge ? 'to' : 'new'
    const start = mode === 'from' ? range.to : mode === 'to' ? range.from : p.time
    drag.current = { from: p.x, start, to: p.time, mode }
  }
  const move = (e: PointerEvent, done: boolean) => {
    const d = drag.current, p = at(e)
    if (!d) return
    if (done) drag.current = null
    if (Math.abs(p.x - d.from) < 3) {
      const mark = p.y > axis && p.y < top ? pauses.find(m => p.time >= m.fromNs - 3e6 && p.time <= m.toNs + 3e6) : undefined
      if (done && mark) props.onMark(mark.fromNs, mark.toNs)
      return
    }
    props.onRange(Math.min(d.start, p.time), Math.max(d.start, p.time), done)
  }
  const scale = (factor: number, center: number) => {
    const from = Math.max(doc.head.startNs, center - (center - zoom.from) * factor), to = Math.min(doc.head.endNs, center + (zoom.to - center) * factor)
    if (to - from > 1000) props.onZoom({ from: Math.round(from), to: Math.round(to) })
  }
  return <section class="timeline" aria-label="Timeline" ref={scroller}>
    <canvas ref={canvas} style={{ width: width + 'px', height: height + 'px' }} onPointerDown={down} onPointerMove={e => move(e, false)} onPointerUp={e => move(e, true)}
      onClick={e => {
        const p = at(e), t = shown[Math.floor((p.y - top) / row)]
        if (p.x < names && p.y >= top && t) props.onThread(doc.head.threads[t.thread].id, e.ctrlKey || e.metaKey)
      }}
      onDblClick={() => range.to > range.from && Number.isFinite(range.to - range.from) && props.onZoom({ ...range })}
      onWheel={e => {
        if (!e.ctrlKey && !e.shiftKey) return
        e.preventDefault()
        const p = at(e)
        if (e.ctrlKey) return scale(e.deltaY > 0 ? 1.25 : 0.8, p.time)
        const by = Math.sign(e.deltaY || e.deltaX) * (zoom.to - zoom.from) / 10
        const from = Math.min(Math.max(zoom.from + by, doc.head.startNs), doc.head.endNs - (zoom.to - zoom.from))
        props.onZoom({ from: Math.round(from), to: Math.round(from + zoom.to - zoom.from) })
      }} />
    {order.length > first && <button class="more" onClick={() => setAll(!all)}>
      {all ? 'Show fewer threads' : `${counted(order.length - first, 'thread')} with less activity not shown: show`}</button>}
    <ul class="hidden">{shown.map(t => {
      const thread = doc.head.threads[t.thread]
      return <li>{printable(`${thread.id} ${thread.name ?? ''}`)}: {wall ? `${Math.round(100 * t.active / (t.all || 1))} % running` : counted(t.active, 'sample')}</li>
    })}</ul>
  </section>
}
