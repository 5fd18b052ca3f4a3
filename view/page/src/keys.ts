// The keyboard: one table of the keys, which the list of keys shows. Single letters act
// unless the focus is in a text field, or the user turned them off.
import { Action, Actions } from './actions'
import { profilePages } from './address'
import { remember, remembered } from './storage'

/** Keys with a comma between them, what they do, and the action; without one the part that has the focus handles them. */
export type Key = [keys: string, text: string, act?: Action]

/** The keys by part of the page. */
export const keyTable: [string, Key[]][] = [
  ['Pages', [
    ...profilePages.map(([page, label], i): Key => [String(i + 1), label, a => a.page(page)]),
    ['g s, g g, g a, …', 'summary, gc, alloc: the first letter, c counters, i trace'],
  ]],
  ['Search and selection', [
    ['/', 'search', a => a.search()],
    ['n', 'next hit; in the field Enter', a => a.hit(1)], ['N', 'previous hit; in the field Shift+Enter', a => a.hit(-1)],
    ['Esc', 'close, or clear the selection', a => a.clear()],
    ['Menu, Shift+F10', 'commands for the selected method'],
  ]],
  ['Selected method', [
    ['f', 'focus: only samples through it', a => a.flag('focus')], ['i', 'ignore: no samples through it', a => a.flag('ignore')],
    ['h', 'hide its frames', a => a.flag('hide')], ['o', 'only its frames', a => a.flag('only')],
    ['c', 'its callers', a => a.around('callers')], ['e', 'its callees', a => a.around('callees')],
  ]],
  ['Filter', [
    ['j', 'just-my-code', a => a.toggle('just-my-code')], ['m', 'group by module', a => a.group()],
    ['r', 'fold-recursion', a => a.toggle('fold-recursion')], ['p', 'runtime-helpers', a => a.toggle('runtime-helpers')],
    [':', 'type flags', a => a.flags()], ['0', 'reset filter and zoom', a => a.reset()],
  ]],
  ['Timeline', [
    ['w', 'zoom in', a => a.zoom(0.5, 0)], ['s', 'zoom out', a => a.zoom(2, 0)],
    ['a', 'pan left', a => a.zoom(1, -0.2)], ['d', 'pan right', a => a.zoom(1, 0.2)],
    ['[', 'set --from at the cursor', a => a.bound('from')], [']', 'set --to at the cursor', a => a.bound('to')],
    ['Left, Right', 'at an end of the range: move it; with Shift ten times as far'],
  ]],
  ['Flame graph', [
    ['Up, Down, Left, Right', 'parent, largest child, siblings'],
    ['Enter', 'zoom to the frame, open a row of several frames'], ['Backspace', 'zoom out by one frame', a => a.out()],
    ['v', 'root down or leaf up', a => a.up()],
  ]],
  ['Call tree and tables', [
    ['Up, Down, Home, End', 'move'], ['Left, Right', 'close, open; parent, first call'],
    ['*', 'open the hot path'], ['Enter', 'in a table: focus, or open; in a report: its longest row'],
  ]],
  ['Page', [['y', 'copy the command', a => a.copy()], ['Space', 'pause (running process)', a => a.pause()], ['x', 'export', a => a.export()], ['=', 'compare with another trace', a => a.compare()], ['?', 'this list', a => a.help()]]],
]

const names: Record<string, string> = { Esc: 'Escape', Space: ' ' }
const table = new Map(keyTable.flatMap(([, list]) => list.map(([key, , act]) => [names[key] ?? key, act])))

/** Report pages after g. */
const reports: Record<string, string> = {
  s: 'summary', g: 'gc', a: 'alloc', j: 'jit', t: 'threads', l: 'locks', w: 'waits', e: 'exceptions', r: 'requests', c: 'counters', i: 'trace', h: 'heap',
}

/** Reports whether single letters act. */
export const letters = (): boolean => remembered('letters') !== 'off'

/** Turns single letters on or off. */
export const setLetters = (on: boolean) => remember('letters', on ? 'on' : 'off')

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
