// The sizes of elements.
import { useLayoutEffect, useState } from 'preact/hooks'

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

/** Returns the place of an element on the screen. */
export const rectOf = (place: { current: HTMLElement | null }): DOMRect => place.current!.getBoundingClientRect()
