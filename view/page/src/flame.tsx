// The flame graph.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Boxes, boxAt } from './boxes'
import { moduleColor, palette } from './colors'
import { Doc, framework } from './data'
import { amount, fit, percent, printable } from './format'
import { Profile } from './profile'

const height = 20  // of a row in px
const character = 6.6  // width in px

export interface FlameProps {
  doc: Doc; profile: Profile; up: boolean; root: number; selected: number; search: RegExp | null; label: string
  layout(width: number): Boxes
  onSelect(row: number, node: number): void
  onZoom(node: number): void
  onIgnore(row: number): void
  onHover(text: string): void
}

/** Returns the modules of the framework. */
export function frameworkModules(doc: Doc): Set<string> {
  const own = new Set<string>(), all = new Set<string>()
  for (let f = 0; f < doc.module.length; f++) (doc.flags[f] & framework ? all : own).add(doc.head.modules[doc.module[f]])
  return new Set([...all].filter(m => !own.has(m)))
}

/** Returns the sentence about a box. */
export function boxText(p: Profile, b: Boxes, i: number, up: boolean): string {
  const unit = p.type?.unit ?? '', share = percent(b.total[i], p.sum)
  if (b.node[i] < 0) return `${b.smaller[i]} smaller, ${amount(b.total[i], unit)}, ${share}`
  const name = b.row[i] < 0 ? 'all' : printable(p.tree.names[b.row[i]])
  const self = up || b.row[i] < 0 ? '' : `, self ${amount(p.self[b.node[i]], unit)}`
  return `${name}: total ${amount(b.total[i], unit)}, ${share}${self}`
}

export function Flame(props: FlameProps) {
  const { doc, profile, up, selected, search, layout } = props
  const scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0, top: 0 })
  const [hover, setHover] = useState(-1), [at, setAt] = useState(-1)
  const neutral = useMemo(() => frameworkModules(doc), [doc])
  const boxes = useMemo(() => layout(size.width), [layout, size.width])
  const measure = () => {
    const s = scroller.current
    if (s) setSize(old => old.width === s.clientWidth && old.height === s.clientHeight && old.top === s.scrollTop ? old
      : { width: s.clientWidth, height: s.clientHeight, top: s.scrollTop })
  }
  useEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(scroller.current!)
    return () => observer.disconnect()
  }, [])
  useEffect(() => draw(canvas.current!, props, boxes, size, neutral, hover), [boxes, size, hover, selected, search, profile])
  const find = (e: MouseEvent) => {
    const r = canvas.current!.getBoundingClientRect()
    return boxAt(boxes, Math.floor((e.clientY - r.top + size.top) / height), e.clientX - r.left)
  }
  const onKey = (e: KeyboardEvent) => {
    const next = neighbour(boxes, at, e.key)
    if (next < 0) {
      if (e.key === 'Enter' && at >= 0 && boxes.node[at] >= 0) props.onZoom(boxes.node[at])
      return
    }
    e.preventDefault()
    setAt(next)
    props.onSelect(boxes.row[next], boxes.node[next])
    const s = scroller.current!, y = boxes.depth[next] * height
    s.scrollTop = Math.min(Math.max(s.scrollTop, y + 2 * height - s.clientHeight), y)
  }
  return <div class="flame" ref={scroller} onScroll={measure} tabIndex={0} role="application" aria-roledescription={props.label}
    aria-label={props.label + ': arrow keys move'} aria-describedby="live" onKeyDown={onKey}>
    <div style={{ height: boxes.rows.length * height + 'px' }}>
      <canvas ref={canvas} style={{ width: size.width + 'px', height: size.height + 'px' }}
        onMouseMove={e => {
          const i = find(e)
          setHover(i)
          props.onHover(i < 0 ? '' : boxText(profile, boxes, i, up))
        }}
        onMouseLeave={() => {
          setHover(-1)
          props.onHover('')
        }}
        onClick={e => {
          const i = find(e)
          if (i < 0) return
          if (e.altKey && boxes.row[i] >= 0) return props.onIgnore(boxes.row[i])
          setAt(i)
          props.onSelect(boxes.row[i], boxes.node[i])
        }}
        onDblClick={e => {
          const i = find(e)
          if (i >= 0 && boxes.node[i] >= 0 && !up) props.onZoom(boxes.node[i])
        }} />
    </div>
  </div>
}

/** Returns the box that an arrow key leads to: parent, largest child, siblings; -1 for none. */
function neighbour(b: Boxes, at: number, key: string): number {
  if (!key.startsWith('Arrow')) return -1
  if (at < 0 || at >= b.x.length) return b.rows[0]?.[0] ?? -1
  const depth = b.depth[at], row = b.rows[depth], i = row.indexOf(at)
  switch (key) {
    case 'ArrowUp': return boxAt(b, depth - 1, b.x[at] + b.width[at] / 2)
    case 'ArrowLeft': return row[i - 1] ?? -1
    case 'ArrowRight': return row[i + 1] ?? -1
  }
  const end = b.x[at] + b.width[at]
  return (b.rows[depth + 1] ?? []).find(k => b.x[k] >= b.x[at] && b.x[k] < end && b.node[k] >= 0) ?? -1
}

/** Draws the boxes of the visible rows. */
function draw(canvas: HTMLCanvasElement, props: FlameProps, b: Boxes, size: { width: number; height: number; top: number }, neutral: Set<string>, hover: number) {
  const { profile, selected, search, root } = props, p = palette(), ratio = devicePixelRatio || 1, { tree } = profile
  canvas.width = size.width * ratio
  canvas.height = size.height * ratio
  const c = canvas.getContext('2d')!
  c.scale(ratio, ratio)
  c.font = '12px system-ui, sans-serif'
  c.textBaseline = 'middle'
  const last = Math.min(b.rows.length - 1, Math.ceil((size.top + size.height) / height)), hit = hover >= 0 ? b.row[hover] : -2
  const ancestors = props.up ? 0 : b.rows.findIndex(r => b.node[r[0]] === root)
  for (let depth = Math.floor(size.top / height); depth <= last; depth++) {
    for (const i of b.rows[depth] ?? []) {
      const x = b.x[i], y = depth * height - size.top, w = b.width[i], row = b.row[i], inner = Math.max(w - 1, 0.5)
      const found = row >= 0 && search !== null && search.test(tree.names[row])
      c.globalAlpha = depth < ancestors ? 0.6 : 1
      c.fillStyle = found ? p.hit : row >= 0 ? moduleColor(tree.modules[row], neutral.has(tree.modules[row]), p) : b.node[i] < 0 ? p.edge : p.states.waiting
      c.fillRect(x, y, inner, height - 1)
      if (row === selected && row >= 0 || row === hit && row >= 0) {
        c.strokeStyle = p.text
        c.lineWidth = row === selected ? 2 : 1
        c.strokeRect(x + 1, y + 1, Math.max(inner - 2, 0.5), height - 3)
      }
      const name = b.node[i] < 0 ? `${b.smaller[i]} smaller, ${percent(b.total[i], profile.sum)}` : row < 0 ? 'all ' + amount(b.total[i], profile.type?.unit ?? '') : printable(tree.names[row])
      const label = fit(name, (w - 6) / character)
      if (!label) continue
      c.fillStyle = found ? '#1b1f24' : b.node[i] < 0 ? p.page : p.text
      c.fillText(label, x + 3, y + height / 2, w - 4)
    }
  }
}
