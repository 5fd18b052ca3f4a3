// Colours of frames and states, in the light and the dark theme.

export interface Palette { page: string; text: string; muted: string; edge: string; states: Record<string, string>; hit: string; dark: boolean }

const light: Palette = {
  page: '#ffffff', text: '#1b1f24', muted: '#57606a', edge: '#7d8590', hit: '#ffd400', dark: false,
  states: { running: '#0b6bcb', native: '#0b6bcb', waiting: '#c3c7cc', idle: '#c3c7cc', spinning: '#0b6bcb', blocked: '#c4420b', gc: '#1b1f24' },
}
const dark: Palette = {
  page: '#14171c', text: '#e6e9ed', muted: '#9aa4b0', edge: '#818b96', hit: '#ffd400', dark: true,
  states: { running: '#4ea1ff', native: '#4ea1ff', waiting: '#4a525c', idle: '#4a525c', spinning: '#4ea1ff', blocked: '#ff8a4c', gc: '#ffffff' },
}

/** Returns the palette of the theme in force: that of the user's choice, or of the system. */
export function palette(): Palette {
  const theme = document.documentElement.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  return theme === 'dark' ? dark : light
}

/** Returns the colour of a module's frames: equal in every report. Modules of the framework are neutral. */
export function moduleColor(module: string, neutral: boolean, p: Palette): string {
  let hash = 0x811c9dc5
  for (const byte of new TextEncoder().encode(module.toLowerCase())) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  const hue = 15 + 30 * (hash % 12)
  const [lightness, chroma] = neutral ? [p.dark ? 0.33 : 0.9, 0.012] : p.dark ? [0.42, 0.075] : [0.82, 0.085]
  return `oklch(${lightness} ${chroma} ${hue})`
}
