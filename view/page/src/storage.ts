// What the browser remembers for the page. Without storage it remembers nothing: a choice lasts for the page.

/** Returns what was remembered, null if nothing was. */
export function remembered(name: string): string | null {
  try {
    return localStorage.getItem('nettrace.' + name)
  } catch {
    return null
  }
}

/** Remembers a text. */
export function remember(name: string, text: string) {
  try {
    localStorage.setItem('nettrace.' + name, text)
  } catch {
    // Without storage.
  }
}
