// The theme: that of the system, unless the user chose one.
import { useEffect, useState } from 'preact/hooks'
import { palette } from './colors'
import { remember, remembered } from './storage'

/** Applies the theme that the user chose earlier. */
export function restoreTheme() {
  const theme = remembered('theme')
  if (theme) document.documentElement.dataset.theme = theme
}

/** Changes the theme and remembers it. */
export function switchTheme() {
  const root = document.documentElement
  root.dataset.theme = palette().dark ? 'light' : 'dark'
  remember('theme', root.dataset.theme)
}

/** Draws the component again when the theme changes: canvases have its colours. */
export function useTheme() {
  const [, draw] = useState(0)
  useEffect(() => {
    const system = matchMedia('(prefers-color-scheme: dark)'), again = () => draw(n => n + 1), observer = new MutationObserver(again)
    system.addEventListener('change', again)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      system.removeEventListener('change', again)
      observer.disconnect()
    }
  }, [])
}
