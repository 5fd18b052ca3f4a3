// Draws the timeline: the axis, rows of marks, the sum of all threads and a track for each thread.
import { Palette } from './colors'
import { axisTime } from './format'
import { hatch } from './hatch'
import { Range } from './profile'
import { drawn } from './size'
import { Activity, Lane, decimalsOf, kinds, ticks } from './tracks'

export const names = 150, axis = 24, row = 24, laneRow = 16  // px

export interface Picture {
  width: number; height: number; columns: number; zoom: Range; range: Range; palette: Palette
  lost: { fromNs: number; toNs: number }[]
  lanes: Lane[]
  sum: Float32Array          // of all threads
  shown: Activity[]
  shares: Float32Array[]     // of the shown threads
  kind: number               // of the sum
  sampled: boolean           // time without a sample is time that was not sampled
  selected: (Uint8Array | null)[]  // columns of the shown threads with samples of the selected method
  cursor: number
}

/** Draws the timeline. */
export function paintTimeline(canvas: HTMLCanvasElement, d: Picture) {
  const c = drawn(canvas, d.width, d.height)
  c.textBaseline = 'middle'
  c.save()
  c.beginPath()
  c.rect(names, 0, d.columns, d.height)
  c.clip()
  axisOf(c, d)
  d.lanes.forEach((lane, i) => marks(c, d, lane, axis + i * laneRow))
  const top = axis + d.lanes.length * laneRow
  if (d.shown.length > 0) sumOf(c, d, top)
  d.shown.forEach((t, k) => thread(c, d, t, k, top + (k + 1) * row))
  stops(c, d, top)
  rangeOf(c, d)
  c.restore()
}

const x = (d: Picture, at: number) => names + (at - d.zoom.from) / (d.zoom.to - d.zoom.from) * d.columns

/** Draws the axis, and the times of which events were lost. */
function axisOf(c: CanvasRenderingContext2D, d: Picture) {
  const list = ticks(d.zoom.from, d.zoom.to, d.columns / 90), decimals = decimalsOf(list)
  for (const l of d.lost) {
    c.fillStyle = hatch(d.palette.states.blocked, d.palette.page)
    c.fillRect(x(d, l.fromNs), 0, Math.max(x(d, l.toNs) - x(d, l.fromNs), 2), d.height)
  }
  for (const at of list) {
    c.fillStyle = d.palette.line
    c.fillRect(Math.round(x(d, at)), 0, 1, d.height)
    c.fillStyle = d.palette.muted
    c.fillText(axisTime(at, decimals), x(d, at) + 4, axis / 2)
  }
}

/** Calls draw for each visible mark. Of points that are in one pixel the first is drawn. */
function eachMark(d: Picture, lane: Lane, draw: (from: number, wide: number) => void) {
  for (let i = 0, drawn = -Infinity; i < lane.from.length; i++) {
    if (lane.to[i] < d.zoom.from || lane.from[i] > d.zoom.to) continue
    const from = x(d, lane.from[i]), wide = x(d, lane.to[i]) - from
    if (wide < 0.5 && from < drawn + 0.5) continue
    draw(from, wide)
    drawn = from
  }
}

/** Draws a row of marks; those that overlap are darker. */
function marks(c: CanvasRenderingContext2D, d: Picture, lane: Lane, y: number) {
  const { states } = d.palette
  c.fillStyle = lane.part === 'gc' ? states.gc : lane.part === 'locks' || lane.part === 'exceptions' ? states.blocked : states.running
  c.globalAlpha = lane.part === 'gc' || lane.part === 'exceptions' ? 1 : 0.6
  eachMark(d, lane, (from, wide) => c.fillRect(from, y + 2, Math.max(wide, 1), laneRow - 4))
  c.globalAlpha = 1
}

/** Draws the running threads, or the samples of another type, together, as high as their greatest number. */
function sumOf(c: CanvasRenderingContext2D, d: Picture, y: number) {
  let most = 1
  for (let column = 0; column < d.columns; column++) most = Math.max(most, d.sum[column * kinds.length + d.kind])
  c.fillStyle = d.palette.states[kinds[d.kind]]
  for (let column = 0; column < d.columns; column++) {
    const tall = d.sum[column * kinds.length + d.kind] / most * (row - 3)
    if (tall > 0) c.fillRect(names + column, y + row - 1 - tall, 1, tall)
  }
}

/** Draws the track of a thread: running solid, waiting hatched at half height, blocked with dots on the upper edge, not sampled a dotted line. */
function thread(c: CanvasRenderingContext2D, d: Picture, t: Activity, k: number, y: number) {
  const { palette: p } = d, share = d.shares[k], mark = d.selected[k], high = row - 4, bottom = y + row - 1
  if (!share) return
  const waiting = hatch(p.edge, p.states.waiting), from = x(d, t.first) - names, to = x(d, t.last) - names
  for (let column = 0; column < d.columns; column++) {
    const running = share[column * kinds.length], waits = share[column * kinds.length + 1], blocked = share[column * kinds.length + 2]
    const bar = (style: string | CanvasPattern, part: number, most: number) => {
      const tall = Math.min(part, 1) * most
      c.fillStyle = style
      c.fillRect(names + column, bottom - tall, 1, tall)
    }
    if (running + waits + blocked === 0) {
      if (d.sampled && column > from && column < to && column % 4 === 0) {
        c.fillStyle = p.edge
        c.fillRect(names + column, y + row / 2, 1.5, 1.5)
      }
      continue
    }
    if (waits > 0) bar(waiting, 1, high / 2)
    if (running > 0) bar(p.states.running, Math.max(running, 0.15), high)
    if (blocked > 0) {
      bar(p.states.blocked, Math.max(blocked, 0.15), high - 3)
      if (column % 4 === 0) c.fillRect(names + column, y + 2, 2, 2)
    }
    if (mark?.[column]) {
      c.fillStyle = p.hit
      c.fillRect(names + column, bottom - 3, 1, 4)
    }
  }
}

/** Draws pauses of the garbage collector through all tracks. */
function stops(c: CanvasRenderingContext2D, d: Picture, y: number) {
  c.fillStyle = d.palette.states.gc
  for (const lane of d.lanes.filter(l => l.part === 'gc')) {
    eachMark(d, lane, (from, wide) => {
      c.globalAlpha = wide < 1 ? 0.35 : 0.7
      c.fillRect(from, y, Math.max(wide, 1), d.height - y)
    })
  }
  c.globalAlpha = 1
}

/** Draws the range with its two ends, and the cursor. */
function rangeOf(c: CanvasRenderingContext2D, d: Picture) {
  const { palette: p } = d, a = Math.max(x(d, d.range.from), names), b = Math.min(x(d, d.range.to), d.width)
  if (d.range.from > d.zoom.from || d.range.to < d.zoom.to) {
    c.fillStyle = p.dark ? '#14171caa' : '#ffffffaa'
    if (a > names) c.fillRect(names, axis, a - names, d.height)
    if (b < d.width) c.fillRect(b, axis, d.width - b, d.height)
    c.fillStyle = p.states.running
    c.fillRect(a, 0, 2, d.height)
    c.fillRect(b - 2, 0, 2, d.height)
    c.fillRect(a, 0, 6, 12)
    c.fillRect(b - 6, 0, 6, 12)
  }
  const at = x(d, d.cursor)
  c.fillStyle = p.muted
  c.beginPath()
  c.moveTo(at - 4, axis - 5)
  c.lineTo(at + 4, axis - 5)
  c.lineTo(at, axis)
  c.fill()
}
