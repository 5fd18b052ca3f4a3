// Separators between the parts of the page. Sizes are remembered in the browser.
import { h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { within } from './format'
import { listen } from './listen'
import { remember, remembered } from './storage'

type Part = 'timeline' | 'details'
type Sizes = Partial<Record<Part, number>>

const bounds: Record<Part, { min: number; usual: number; max: number }> = {
  timeline: { min: 72, usual: 200, max: 600 }, details: { min: 180, usual: 260, max: 700 },
}

function stored(): Sizes {
  try {
    return JSON.parse(remembered('sizes') ?? '{}') as Sizes
  } catch {
    return {}  // not JSON
  }
}

let sizes: Sizes | null = null

const sizeOf = (part: Part): number => (sizes ??= stored())[part] ?? bounds[part].usual

function setSize(part: Part, size: number) {
  const { min, max } = bounds[part]
  sizes = { ...sizes, [part]: Math.round(within(size, min, max)) }
  remember('sizes', JSON.stringify(sizes))
  dispatchEvent(new Event('sizes'))
}

/** Returns the sizes as variables of the style sheet. */
export function useSizes(): Record<string, string> {
  const [, draw] = useState(0)
  useEffect(() => listen('sizes', () => draw(n => n + 1)), [])
  return { '--timeline': sizeOf('timeline') + 'px', '--details': sizeOf('details') + 'px' }
}

/** The separator at the end of the timeline, or at the beginning of the details. */
export function Splitter({ part, label }: { part: Part; label: string }) {
  const { min, max } = bounds[part], size = sizeOf(part), across = part === 'details'
  const drag = (e: PointerEvent) => {
    const el = e.currentTarget as HTMLElement, start = across ? e.clientX : e.clientY, from = sizeOf(part)
    e.preventDefault()
    el.setPointerCapture(e.pointerId)
    el.onpointermove = m => setSize(part, from + (across ? start - m.clientX : m.clientY - start))
    el.onpointerup = el.onpointercancel = () => { el.onpointermove = null }
  }
  const onKey = (e: KeyboardEvent) => {
    const by: Record<string, number> = across ? { ArrowLeft: 16, ArrowRight: -16 } : { ArrowUp: -16, ArrowDown: 16 }
    const to = e.key === 'Home' ? min : e.key === 'End' ? max : by[e.key] ? size + by[e.key] : null
    if (to === null) return
    e.preventDefault()
    setSize(part, to)
  }
  return <div class={'splitter ' + (across ? 'across' : 'along')} role="separator" tabIndex={0} aria-label={label} aria-orientation={across ? 'vertical' : 'horizontal'} aria-valuemin={min} aria-valuemax={max}
    aria-valuenow={size} onPointerDown={drag} onKeyDown={onKey} />
}
