// Hatching: what has no colour of its own, such as waiting and what is left out.

const made = new Map<string, CanvasPattern>()

/** Returns lines of a colour on another one, from the lower left to the upper right. */
export function hatch(ink: string, paper: string): CanvasPattern {
  const key = ink + paper
  let pattern = made.get(key)
  if (!pattern) {
    const tile = document.createElement('canvas'), size = 6
    tile.width = tile.height = size
    const c = tile.getContext('2d')!
    c.fillStyle = paper
    c.fillRect(0, 0, size, size)
    c.strokeStyle = ink
    c.lineWidth = 1.2
    for (const x of [-size, 0, size]) {
      c.beginPath()
      c.moveTo(x, size)
      c.lineTo(x + size, 0)
      c.stroke()
    }
    made.set(key, pattern = c.createPattern(tile, 'repeat')!)
  }
  return pattern
}
