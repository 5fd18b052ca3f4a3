// The charts of the report pages: what has a length is drawn with it, what was counted as a sum or a number over time.
import { Bar, ChartProps } from './chart'
import { Doc, Report, Row, Samples } from './data'
import { amount, greatest, printable } from './format'
import { Range } from './profile'
import { lengthOf } from './rowlink'
import { title, valueText } from './valuetext'

type Chart = Omit<ChartProps, 'from' | 'to'>

/** Units of a chart, by the end of a key or the unit of samples. */
const units: [RegExp, string, number][] = [[/Ns$|nanoseconds/, 'ms', 1e6], [/bytes$/i, 'MB', 1e6], [/$/, '', 1]]

const steps = 100

const ns = (n: number) => amount(n, 'nanoseconds'), number = (r: Row, key: string) => typeof r[key] === 'number' ? r[key] as number : 0
const timed = (rows: Row[]) => rows.filter(r => typeof r.startNs === 'number').sort((a, b) => number(a, 'startNs') - number(b, 'startNs'))

/** Returns columns: for each step of a range what it has of the times from at to end, with weight 1 or one that a time has at its beginning. */
function columns(range: Range, label: (step: string) => string, unit: string, times: Iterable<[from: number, to: number, weight?: number]>): Chart {
  const step = (range.to - range.from) / steps, values: number[] = Array(steps).fill(0)
  for (const [from, to, weight] of times) {
    const first = Math.floor((from - range.from) / step)
    if (weight !== undefined) {
      if (first in values) values[first] += weight
      continue
    }
    for (let k = Math.max(first, 0); k < steps && range.from + k * step < to; k++) values[k] += (Math.min(to, range.from + (k + 1) * step) - Math.max(from, range.from + k * step)) / step
  }
  return { label: label(ns(step)), unit, columns: true, at: values.map((_, i) => range.from + i * step), values }
}

/** Returns the samples of the threads of a report. */
function* samplesOf({ head }: Doc, { part, processId }: Report, s: Samples): Generator<number> {
  for (const [t, thread] of head.threads.entries()) {
    if (processId !== undefined && head.parts[part].length > 1 && thread.process !== String(processId)) continue
    for (let i = s.offsets[t]; i < s.offsets[t + 1]; i++) yield i
  }
}

/** Returns rows as bars, those that overlap in lanes of their own. */
function bars(all: Row[], words: string[], color: (r: Row) => Bar['color']): Bar[] {
  const ends: number[] = []
  return timed(all).map(r => {
    const from = number(r, 'startNs'), to = from + lengthOf(r), free = ends.findIndex(end => end < from), lane = free < 0 ? ends.length : free
    ends[lane] = to
    return { from, to, lane, color: color(r), row: all.indexOf(r), text: [`${valueText('startNs', from)}, ${ns(lengthOf(r))}`, ...words.filter(k => r[k]).map(k => `${title(k)} ${valueText(k, r[k])}`)].join(', ') }
  })
}

/** Returns the chart of a part, null if there is nothing to draw. */
export function chartOf(doc: Doc, report: Report, range: Range): Chart | null {
  const { part, totals = {} } = report, rows = report.rows ?? [], of = doc.head.tables[part]?.samples, type = doc.head.types.find(t => t.option === of && !t.of), s = type && doc.samples.get(type.name)
  if (s && s.at.length > 1) {
    if (s.timed) {
      const held = ((totals.contended ?? []) as Row[]).map((r): Bar => ({
        from: number(r, 'startNs'), to: number(r, 'startNs') + number(r, 'durationNs'), lane: 0, color: 'blocked', row: -1,
        text: `contended for ${ns(number(r, 'durationNs'))}: ${[['held by thread', (r.longest as Row | undefined)?.ownerThreadId], ['waits', r.count], ['lock', r.lock]].filter(([, v]) => v).map(([k, v]) => `${k} ${printable(String(v))}`).join(', ')}`,
      }))
      return { ...columns(range, step => `threads that wait at a time, means of ${step}`, '', [...samplesOf(doc, report, s)].map(i => [s.at[i], s.end[i]])), of: part === 'locks' ? 'blocked' : 'waiting', bars: held }
    }
    const [, unit, size] = units.find(([end]) => end.test(type.unit))!
    return columns(range, step => `${part}, sum of each ${step}`, unit, [...samplesOf(doc, report, s)].map(i => [s.at[i], s.at[i], s.value[i] / size]))
  }
  const list = timed(rows)
  if (list.length === 0) return null
  switch (part) {
    case 'gc': {
      const of = list.filter(r => typeof r.heapBeforeBytes === 'number' && typeof r.heapAfterBytes === 'number'), pauses = rows.flatMap((r, i) => ((r.pauses ?? (typeof r.pauseStartNs === 'number' ? [{ startNs: r.pauseStartNs, pauseNs: r.pauseNs }] : [])) as Row[]).map((p): Bar => ({
        from: number(p, 'startNs'), to: number(p, 'startNs') + number(p, 'pauseNs'), lane: 0, color: 'gc', row: i, text: `pause of collection ${r.number}, generation ${r.generation}: ${ns(number(p, 'pauseNs'))} at ${valueText('startNs', p.startNs)}, ${printable(String(r.reason ?? ''))}`,
      })))
      return { label: of.length > 0 ? 'pauses (bars), and the heap before and after each collection' : 'pauses', unit: of.length > 0 ? 'MB' : '', bars: pauses,
        at: of.flatMap(r => [number(r, 'startNs'), number(r, 'startNs') + number(r, 'durationNs')]), values: of.flatMap(r => [number(r, 'heapBeforeBytes') / 1e6, number(r, 'heapAfterBytes') / 1e6]) }
    }
    case 'requests': {
      const all = bars(rows, ['method', 'route', 'status', 'state'], r => r.failed ? 'blocked' : r.direction === 'outgoing' ? 'waiting' : 'running')
      return { label: `requests from start to end: incoming blue, outgoing grey, failed orange; at most ${greatest(all.map(b => b.lane)) + 1} at a time`, unit: '', at: [], values: [], bars: all }
    }
    case 'jit': return columns(range, step => `time of compilations in each ${step}`, 'ms', list.map(r => [number(r, 'startNs'), number(r, 'startNs'), lengthOf(r) / 1e6]))
    case 'threads': return { label: 'workers of the thread pool', unit: '', columns: true, at: list.map(r => number(r, 'startNs')), values: list.map(r => number(r, 'workers')) }
  }
  return null
}
