// The flame graph, and the page Time order, which draws other boxes.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Boxes, boxAt, leafOf } from './boxes'
import { ColorMode, palette } from './colors'
import { Doc, framework, synthesized } from './data'
import { Changed, boxName, height, paint } from './flamepaint'
import { amount, percent } from './format'
import { opensMenu } from './menu'
import { Profile } from './profile'
import { rectOf, showRow, useResized } from './size'

export interface FlameProps {
  doc: Doc | null; profile: Profile; up: boolean; root: number; selected: number; at: number; search: RegExp | null; label: string
  neutral?: Set<string>; truncated?: Set<number>  // modules and rows of a profile without a document
  color: ColorMode; waiting: Float64Array; change: ((node: number) => Changed) | null
  place?: string    // what is selected and how it is shown: another one scrolls to the box
  whole?: number    // the sum without a filter, for the tooltip
  levels?: number   // of a leaf-up graph: the frames from the leaf to the root box
  layout(width: number): Boxes
  onSelect(row: number, node: number): void
  onZoom(node: number, smallest: number, levels: number): void  // of a leaf-up graph: the leaf, and its callers up to the box
  onOpen(node: number): void
  onSpan?(from: number, to: number): void  // zooms to a part of the width
  onIgnore(row: number): void
  onHover(text: string): void
  onMenu(x: number, y: number, row: number, node: number): void
}

/** Returns the modules of the framework. */
export function frameworkModules(doc: Doc): Set<string> {
  const own = new Set<string>(), all = new Set<string>()
  for (let f = 0; f < doc.module.length; f++) (doc.flags[f] & framework ? all : own).add(doc.head.modules[doc.module[f]])
  return new Set([...all].filter(m => !own.has(m)))
}

/** Returns the rows of frames that mark where frames were not recorded. */
function truncatedRows(doc: Doc, p: Profile): Set<number> {
  const names = new Set<string>()
  for (let f = 0; f < doc.name.length; f++) {
    const name = doc.head.names[doc.name[f]]
    if (doc.flags[f] & synthesized && name.startsWith('[truncated')) names.add(name)
  }
  return new Set([...names].map(name => p.tree.names.indexOf(name)))
}

/** Returns the sentence about a box. */
export function boxText(p: Profile, b: Boxes, i: number, up: boolean, change: FlameProps['change'] = null): string {
  if (change && b.node[i] > 0) return boxText(p, b, i, up) + '; ' + change(b.node[i]).sentence
  const unit = p.type?.unit ?? '', share = `${amount(b.total[i], unit)}, ${percent(b.total[i], p.sum)}`
  if (b.node[i] < 0) return `${b.smaller[i]} smaller: ${share}; double-click zooms to them`
  const self = p.self[b.node[i]], one = !up && b.row[i] >= 0 && b.chain[i].length === 0
  return `${boxName(p, b, i)}: total ${share}${one ? `; self ${amount(self, unit)}, ${percent(self, p.sum)}` : b.chain[i].length > 0 ? '; double-click opens them' : ''}`
}

export function Flame(props: FlameProps) {
  const { doc, profile, up, selected, search, layout } = props, theme = palette()
  const scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0, top: 0 })
  const [hover, setHover] = useState(-1), [moved, setMoved] = useState<{ of: Boxes | null; box: number }>({ of: null, box: -1 }), scrolled = useRef('')
  const neutral = useMemo(() => props.neutral ?? (doc ? frameworkModules(doc) : new Set<string>()), [doc, props.neutral])
  const truncated = useMemo(() => props.truncated ?? (doc ? truncatedRows(doc, profile) : new Set<number>()), [doc, profile.tree])
  const boxes = useMemo(() => layout(size.width), [layout, size.width])
  const last = moved.of === boxes ? moved.box : -1  // of the arrow keys and clicks
  const at = useMemo(() => boxOf(boxes, last, props.at, selected), [boxes, last, props.at, selected])
  const measure = () => {
    const s = scroller.current
    if (s) setSize(old => old.width === s.clientWidth && old.height === s.clientHeight && old.top === s.scrollTop ? old
      : { width: s.clientWidth, height: s.clientHeight, top: s.scrollTop })
  }
  useResized(scroller, measure)
  useEffect(() => paint(canvas.current!, {
    profile, boxes, palette: theme, color: props.color, neutral, waiting: props.waiting, truncated, at,
    ancestors: up ? props.levels ?? 0 : props.root < 0 ? 0 : boxes.rows.findIndex(r => boxes.node[r[0]] === props.root), selected, hover, search, change: props.change,
  }, size), [boxes, size, hover, at, selected, search, profile, theme, props.color, props.change])
  useEffect(() => {
    // A new document of a running process has the same selection: the graph stays where it is scrolled to.
    const place = props.place ?? selected + '|' + props.root
    if (at >= 0 && (last >= 0 || scrolled.current !== place)) showRow(scroller.current!, boxes.depth[at], height)
    if (size.width > 0) scrolled.current = place
  }, [at, props.place, size.width > 0])
  const find = (e: MouseEvent) => {
    const r = rectOf(canvas)
    return boxAt(boxes, Math.floor((e.clientY - r.top + size.top) / height), e.clientX - r.left)
  }
  const select = (i: number) => {
    setMoved({ of: boxes, box: i })
    props.onSelect(boxes.row[i], boxes.node[i])
  }
  const open = (i: number) => {
    if (props.onSpan) props.onSpan(boxes.x[i] / size.width, (boxes.x[i] + boxes.width[i]) / size.width)
    else if (boxes.chain[i].length > 0) props.onOpen(boxes.node[i])
    else if (up) {
      const { leaf, levels } = leafOf(profile, boxes, boxes.node[i] < 0 ? boxAt(boxes, boxes.depth[i] - 1, boxes.x[i] + boxes.width[i] / 2) : i)
      props.onZoom(leaf, boxes.smaller[i], levels)
    } else if (boxes.node[i] >= 0) props.onZoom(boxes.node[i], 0, 0)
    else props.onZoom(parentOf(boxes, i), boxes.smaller[i], 0)
  }
  const menu = (i: number, x: number, y: number) => {
    if (boxes.row[i] < 0) return
    select(i)
    props.onMenu(x, y, boxes.row[i], boxes.node[i])
  }
  const onKey = (e: KeyboardEvent) => {
    const next = neighbour(boxes, at, e.key)
    if (next >= 0) select(next)
    else if (e.key === 'Enter' && at >= 0) open(at)
    else if (opensMenu(e) && at >= 0) {
      const r = rectOf(canvas)
      menu(at, r.left + Math.max(boxes.x[at], 0) + 8, r.top + (boxes.depth[at] + 1) * height - size.top)
    } else return
    e.preventDefault()
  }
  const text = hover >= 0 && hover < boxes.x.length ? boxText(profile, boxes, hover, up, props.change) : ''
  return <div class="flame" ref={scroller} onScroll={measure} tabIndex={0} role="application" aria-roledescription={props.label}
    aria-label={props.label + ': arrow keys move'} aria-describedby="live" onKeyDown={onKey}>
    <div style={{ height: boxes.rows.length * height + 'px' }}>
      <canvas ref={canvas} style={{ width: size.width + 'px', height: size.height + 'px' }} title={text && props.whole ? `${text}; ${percent(boxes.total[hover], props.whole)} of the whole trace` : text}
        onMouseMove={e => {
          const i = find(e)
          setHover(i)
          props.onHover(i < 0 ? '' : boxText(profile, boxes, i, up, props.change))
        }}
        onMouseLeave={() => {
          setHover(-1)
          props.onHover('')
        }}
        onClick={e => {
          const i = find(e)
          if (i < 0) return
          if (e.altKey && boxes.row[i] >= 0) return props.onIgnore(boxes.row[i])
          select(i)
        }}
        onDblClick={e => {
          const i = find(e)
          if (i >= 0) open(i)
        }}
        onContextMenu={e => {
          const i = find(e)
          e.preventDefault()
          if (i >= 0) menu(i, e.clientX, e.clientY)
        }} />
    </div>
  </div>
}

/** Returns the box of the selection: the last one if it is still that, otherwise that of the node, otherwise the widest one of the method. */
function boxOf(b: Boxes, last: number, node: number, row: number): number {
  if (last >= 0 && last < b.x.length && b.row[last] === row && (node < 0 || b.node[last] === node)) return last
  if (row < 0) return -1
  let found = -1
  for (let i = 0; i < b.x.length; i++) {
    if (node >= 0 && (b.node[i] === node || b.chain[i].includes(node))) return i
    if (b.row[i] === row && (found < 0 || b.width[i] > b.width[found])) found = i
  }
  return found
}

/** Returns the node above a box: of a row of several frames the last one. */
function parentOf(b: Boxes, i: number): number {
  const above = boxAt(b, b.depth[i] - 1, b.x[i] + b.width[i] / 2), chain = b.chain[above] ?? []
  return above < 0 ? 0 : chain[chain.length - 1] ?? Math.max(b.node[above], 0)
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
