// The sizes of elements.
import { options } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { listen } from './listen'
import { within } from './format'

/** Calls measure for an element before it is first shown, and again when its size changes. */
export function useResized(place: { current: HTMLElement | null }, measure: () => void) {
  useLayoutEffect(() => {
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [])
}

/** Returns the width of an element in px, 0 before it is drawn. */
export function useWidth(place: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0)
  useResized(place, () => setWidth(old => place.current?.clientWidth ?? old))
  return width
}

/** Scrolls rows of a height in px as little as shows one of them and the next. */
export function showRow(s: HTMLElement, row: number, height: number) {
  s.scrollTop = within(s.scrollTop, (row + 2) * height - s.clientHeight, row * height)
}

/** Sets the size of a canvas in px, and returns where to draw in px: as sharp as the screen. */
export function drawn(canvas: HTMLCanvasElement, width: number, height: number, font = 11): CanvasRenderingContext2D {
  const ratio = devicePixelRatio || 1, c = canvas.getContext('2d')!
  canvas.width = width * ratio
  canvas.height = height * ratio
  c.scale(ratio, ratio)
  c.font = font + 'px system-ui, sans-serif'
  return c
}

/** Returns the place of an element on the screen. */
export const rectOf = (place: { current: HTMLElement | null }): DOMRect => place.current!.getBoundingClientRect()

/** Reports whether the page is being printed: then a table has all its rows. They are drawn before the event ends. */
export function usePrinting(): boolean {
  const [printing, set] = useState(false), now = (on: boolean) => {
    const { debounceRendering } = options
    options.debounceRendering = draw => draw()
    set(on)
    options.debounceRendering = debounceRendering
  }
  useEffect(() => {
    const ends = [listen('beforeprint', () => now(true)), listen('afterprint', () => now(false))]
    return () => ends.forEach(end => end())
  }, [])
  return printing
}
