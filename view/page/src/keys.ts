// The keyboard: single letters act unless the focus is in a text field.

export interface Actions {
  search(): void; page(name: string): void; flag(name: 'focus' | 'ignore' | 'hide' | 'only'): void
  toggle(name: 'just-my-code' | 'fold-recursion' | 'runtime-helpers'): void
  group(): void; hit(step: number): void; up(): void; out(): void; clear(): void; reset(): void; copy(): void
  zoom(factor: number, shift: number): void; pause(): void
}

const table: Record<string, (a: Actions) => void> = {
  '/': a => a.search(), n: a => a.hit(1), N: a => a.hit(-1), f: a => a.flag('focus'), i: a => a.flag('ignore'), h: a => a.flag('hide'), o: a => a.flag('only'),
  j: a => a.toggle('just-my-code'), r: a => a.toggle('fold-recursion'), p: a => a.toggle('runtime-helpers'), m: a => a.group(), v: a => a.up(),
  w: a => a.zoom(0.5, 0), s: a => a.zoom(2, 0), a: a => a.zoom(1, -0.2), d: a => a.zoom(1, 0.2), y: a => a.copy(),
  '1': a => a.page('flame'), '2': a => a.page('top'), '3': a => a.page('tree'), '4': a => a.page('time'), Backspace: a => a.out(), Escape: a => a.clear(), '0': a => a.reset(), ' ': a => a.pause(),
}

/** Report pages after g. */
const reports: Record<string, string> = {
  s: 'summary', g: 'gc', a: 'alloc', j: 'jit', t: 'threads', l: 'locks', w: 'waits', e: 'exceptions', r: 'requests', c: 'counters', i: 'trace',
}

let afterG = false

/** Handles a key. */
export function shortcut(e: KeyboardEvent, actions: Actions) {
  const target = e.target as HTMLElement
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
    if (e.key === 'Escape') target.blur()
    return
  }
  if (afterG) {
    afterG = false
    if (reports[e.key]) {
      e.preventDefault()
      return actions.page(reports[e.key])
    }
  }
  if (e.key === 'g') {
    afterG = true
    return
  }
  if (!table[e.key] || e.key === ' ' && /^(BUTTON|A)$/.test(target.tagName)) return
  e.preventDefault()
  table[e.key](actions)
}
