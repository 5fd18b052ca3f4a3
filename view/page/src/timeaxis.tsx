// The axis of the page Time order.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { seconds } from './format'
import { Range } from './profile'
import { decimalsOf, ticks } from './tracks'

export function TimeAxis({ range }: { range: Range }) {
  const place = useRef<HTMLDivElement>(null), [width, setWidth] = useState(0), length = range.to - range.from
  useEffect(() => {
    const measure = () => setWidth(old => place.current?.clientWidth ?? old)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
  const list = length > 0 && width > 0 ? ticks(range.from, range.to, width / 90) : [], decimals = decimalsOf(list)
  return <div class="axis" ref={place} aria-hidden="true">{list.map(at => <span style={{ left: 100 * (at - range.from) / length + '%' }}>{seconds(at, decimals)}</span>)}</div>
}
