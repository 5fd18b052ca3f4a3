// The keyboard: one table of the keys, which the list of keys shows. Single letters act
// unless the focus is in a text field, or the user turned them off.
import { Action, Actions } from './actions'

export interface Key { keys: string[]; text: string; act?: Action }

/** The keys by part of the page. Those without an action are handled by the part that has the focus. */
export const keyTable: [string, Key[]][] = [
  ['Pages', [
    { keys: ['1'], text: 'Flame graph', act: a => a.page('flame') }, { keys: ['2'], text: 'Top', act: a => a.page('top') },
    { keys: ['3'], text: 'Call tree', act: a => a.page('tree') }, { keys: ['4'], text: 'Time order', act: a => a.page('time') },
    { keys: ['g s', 'g g', 'g a', '…'], text: 'summary, gc, alloc: the first letter, c counters, i trace' },
  ]],
  ['Search and selection', [
    { keys: ['/'], text: 'search', act: a => a.search() },
    { keys: ['n'], text: 'next hit', act: a => a.hit(1) }, { keys: ['N'], text: 'previous hit', act: a => a.hit(-1) },
    { keys: ['Esc'], text: 'close, or clear the selection', act: a => a.clear() },
    { keys: ['Menu', 'Shift+F10'], text: 'commands for the selected method' },
  ]],
  ['Selected method', [
    { keys: ['f'], text: 'focus: only samples through it', act: a => a.flag('focus') }, { keys: ['i'], text: 'ignore: no samples through it', act: a => a.flag('ignore') },
    { keys: ['h'], text: 'hide its frames', act: a => a.flag('hide') }, { keys: ['o'], text: 'only its frames', act: a => a.flag('only') },
    { keys: ['c'], text: 'its callers', act: a => a.around('callers') }, { keys: ['e'], text: 'its callees', act: a => a.around('callees') },
  ]],
  ['Filter', [
    { keys: ['j'], text: 'just-my-code', act: a => a.toggle('just-my-code') }, { keys: ['m'], text: 'group by module', act: a => a.group() },
    { keys: ['r'], text: 'fold-recursion', act: a => a.toggle('fold-recursion') }, { keys: ['p'], text: 'runtime-helpers', act: a => a.toggle('runtime-helpers') },
    { keys: ['0'], text: 'reset filter and zoom', act: a => a.reset() },
  ]],
  ['Timeline', [
    { keys: ['w'], text: 'zoom in', act: a => a.zoom(0.5, 0) }, { keys: ['s'], text: 'zoom out', act: a => a.zoom(2, 0) },
    { keys: ['a'], text: 'pan left', act: a => a.zoom(1, -0.2) }, { keys: ['d'], text: 'pan right', act: a => a.zoom(1, 0.2) },
    { keys: ['['], text: 'set --from at the cursor', act: a => a.bound('from') }, { keys: [']'], text: 'set --to at the cursor', act: a => a.bound('to') },
    { keys: ['Left', 'Right'], text: 'at an end of the range: move it; with Shift ten times as far' },
  ]],
  ['Flame graph', [
    { keys: ['Up', 'Down', 'Left', 'Right'], text: 'parent, largest child, siblings' },
    { keys: ['Enter'], text: 'zoom to the frame, open a row of several frames' }, { keys: ['Backspace'], text: 'zoom out by one frame', act: a => a.out() },
    { keys: ['v'], text: 'root down or leaf up', act: a => a.up() },
  ]],
  ['Call tree and tables', [
    { keys: ['Up', 'Down', 'Home', 'End'], text: 'move' }, { keys: ['Left', 'Right'], text: 'close, open; parent, first call' },
    { keys: ['*'], text: 'open the hot path' }, { keys: ['Enter'], text: 'in a table: focus, or open; in a report: its longest row' },
  ]],
  ['Page', [{ keys: ['y'], text: 'copy the command', act: a => a.copy() }, { keys: ['Space'], text: 'pause (running process)', act: a => a.pause() }, { keys: ['x'], text: 'export', act: a => a.export() }, { keys: ['?'], text: 'this list', act: a => a.help() }]],
]

const names: Record<string, string> = { Esc: 'Escape', Space: ' ' }
const table = new Map(keyTable.flatMap(([, list]) => list.flatMap(k => k.act ? k.keys.map(key => [names[key] ?? key, k.act!] as const) : [])))

/** Report pages after g. */
const reports: Record<string, string> = {
  s: 'summary', g: 'gc', a: 'alloc', j: 'jit', t: 'threads', l: 'locks', w: 'waits', e: 'exceptions', r: 'requests', c: 'counters', i: 'trace', h: 'heap',
}

const setting = 'nettrace.letters'

/** Reports whether single letters act. */
export function letters(): boolean {
  try {
    return localStorage.getItem(setting) !== 'off'
  } catch {
    return true  // without storage
  }
}

/** Turns single letters on or off. */
export function setLetters(on: boolean) {
  try {
    localStorage.setItem(setting, on ? 'on' : 'off')
  } catch {
    // Without storage they stay on.
  }
}

let afterG = false

/** Handles a key. */
export function shortcut(e: KeyboardEvent, actions: Actions) {
  const target = e.target as HTMLElement
  if (e.defaultPrevented || target.closest('dialog, [role=menu]')) return
  if (e.ctrlKey || e.metaKey || e.altKey || target.matches('select, textarea, input:not([type=checkbox])')) {
    if (e.key === 'Escape') target.blur()
    return
  }
  if (e.key.length === 1 && e.key !== '?' && !letters()) return
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
  const act = table.get(e.key)
  if (!act || e.key === ' ' && target.matches('button, a, input')) return
  e.preventDefault()
  act(actions)
}
