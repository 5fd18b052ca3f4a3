// The theme: that of the system, unless the user chose one.
import { useEffect, useState } from 'preact/hooks'
import { palette } from './colors'

const setting = 'nettrace.theme'

/** Applies the theme that the user chose earlier. */
export function restoreTheme() {
  try {
    const theme = localStorage.getItem(setting)
    if (theme) document.documentElement.dataset.theme = theme
  } catch {
    // Without storage the system's theme applies.
  }
}

/** Changes the theme and remembers it. */
export function switchTheme() {
  const root = document.documentElement
  root.dataset.theme = palette().dark ? 'light' : 'dark'
  try {
    localStorage.setItem(setting, root.dataset.theme)
  } catch {
    // Without storage the choice lasts for this page.
  }
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
