// Colours of frames and states, in the light and the dark theme.
import { within } from './format'

export interface Palette { soft: string; line: string; page: string; text: string; muted: string; edge: string; states: Record<string, string>; hit: string; dark: boolean }

const light: Palette = {
  soft: '#f3f5f7', page: '#ffffff', line: '#d0d7de', text: '#1b1f24', muted: '#57606a', edge: '#7d8590', hit: '#ffd400', dark: false,
  states: { running: '#0b6bcb', native: '#0b6bcb', waiting: '#c3c7cc', idle: '#c3c7cc', spinning: '#0b6bcb', blocked: '#c4420b', gc: '#1b1f24' },
}
const dark: Palette = {
  soft: '#1c2128', page: '#14171c', line: '#333b45', text: '#e6e9ed', muted: '#9aa4b0', edge: '#818b96', hit: '#ffd400', dark: true,
  states: { running: '#4ea1ff', native: '#4ea1ff', waiting: '#4a525c', idle: '#4a525c', spinning: '#4ea1ff', blocked: '#ff8a4c', gc: '#ffffff' },
}

/** Returns the palette of the theme in force: that of the user's choice, or of the system. */
export function palette(): Palette {
  const theme = document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  return theme === 'dark' ? dark : light
}

/** Returns the colour of a module's frames: equal in every report. Modules of the framework are neutral. */
export function moduleColor(module: string, neutral: boolean, p: Palette): string {
  const of = made[(p.dark ? 2 : 0) + (neutral ? 1 : 0)], known = of.get(module)
  if (known !== undefined) return known
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(module.toLowerCase())) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const hue = 15 + 30 * (hash % 12)
  const [lightness, chroma] = neutral ? [p.dark ? 0.33 : 0.9, 0.012] : p.dark ? [0.42, 0.075] : [0.82, 0.085]
  const color = `oklch(${lightness} ${chroma} ${hue})`
  of.set(module, color)
  return color
}

/** Returns the colour for a change from -1 to 1, which text of textOnChange is legible on in both themes. */
export function changeColor(change: number): string {
  const to = change > 0 ? [244, 165, 130] : [146, 197, 222], from = [233, 236, 239], part = change === 0 ? 0 : 0.3 + 0.7 * Math.abs(change)
  return `rgb(${to.map((v, i) => Math.round(from[i] + part * (v - from[i]))).join()})`
}
export const textOnChange = '#1b1f24'

/** Colours by module: light, light and neutral, dark, dark and neutral. A flame graph asks for thousands. */
const made = [0, 1, 2, 3].map(() => new Map<string, string>())

/** What the colour of a frame shows. */
export const colorModes = ['module', 'state', 'self'] as const
export type ColorMode = typeof colorModes[number]

/** Returns a colour for a share from 0 to 1, in the hue of waiting or of self. */
export function shareColor(share: number, mode: ColorMode, p: Palette): string {
  const part = within(share, 0, 1), hue = mode === 'state' ? 250 : 45
  const [from, to] = p.dark ? [0.33, 0.45] : [0.93, 0.76]
  return `oklch(${(from + (to - from) * part).toFixed(3)} ${(0.012 + 0.1 * part).toFixed(3)} ${hue})`
}
