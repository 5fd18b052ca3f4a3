// The axis of the page Time order.
import { h } from 'preact'
import { useRef } from 'preact/hooks'
import { axisTime } from './format'
import { Range } from './profile'
import { useWidth } from './size'
import { decimalsOf, ticks } from './tracks'

export function TimeAxis({ range }: { range: Range }) {
  const place = useRef<HTMLDivElement>(null), width = useWidth(place), length = range.to - range.from
  const list = length > 0 && width > 0 ? ticks(range.from, range.to, width / 90) : [], decimals = decimalsOf(list)
  return <div class="axis" ref={place} aria-hidden="true">{list.map(at => <span style={{ left: 100 * (at - range.from) / length + '%' }}>{axisTime(at, decimals)}</span>)}</div>
}
