// The filter: the values of the flags that select samples and frames.

export interface Filter {
  type: string
  from: string
  to: string
  thread: string[]
  process: string[]
  state: string[]
  class: string[]
  focus: string[]
  ignore: string[]
  hide: string[]
  only: string[]
  group: string
  provider: string[]
  event: string[]
  'just-my-code': boolean
  'fold-recursion': boolean
  'runtime-helpers': boolean
}

export const noFilter: Filter = {
  type: '', from: '', to: '', thread: [], process: [], state: [], class: [], focus: [], ignore: [], hide: [], only: [], group: '', provider: [], event: [],
  'just-my-code': false, 'fold-recursion': false, 'runtime-helpers': false,
}

/** States of samples, in the order of package profile. */
export const states = ['running', 'native', 'waiting', 'blocked', 'spinning', 'idle']

/** States that "nettrace top" shows without --type and --state. */
export const workStates = ['running', 'native']

export type Flag = keyof Filter
export type FrameFlag = 'focus' | 'ignore' | 'hide' | 'only'
export type BooleanFlag = 'just-my-code' | 'fold-recursion' | 'runtime-helpers'
export const flags = Object.keys(noFilter) as Flag[]

/** Returns the flags of a filter that are set, with one value each. */
export function pairs(filter: Filter): [Flag, string][] {
  const list: [Flag, string][] = []
  for (const flag of flags) {
    const value = filter[flag]
    if (Array.isArray(value)) for (const one of value) list.push([flag, one])
    else if (value === true) list.push([flag, ''])
    else if (value) list.push([flag, value])
  }
  return list
}

/** Returns a filter with a further value of a flag. */
export function withValue(filter: Filter, flag: Flag, value: string): Filter {
  const old = filter[flag]
  if (Array.isArray(old)) return { ...filter, [flag]: old.includes(value) ? old : [...old, value] }
  return { ...filter, [flag]: typeof old === 'boolean' ? value !== 'false' : value }
}

/** Returns a filter without a value of a flag. */
export function without(filter: Filter, flag: Flag, value: string): Filter {
  const old = filter[flag]
  return { ...filter, [flag]: Array.isArray(old) ? old.filter(v => v !== value) : noFilter[flag] }
}

/** Returns the flags of a text such as "--from 2s thread=7 --hide='a b'". It throws for a word that is no flag, or one that is not known. */
export function typedFlags(text: string, known: readonly Flag[]): [Flag, string][] {
  const words = [...text.replace(/^:/, '').matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(m => m[0].replace(/"([^"]*)"|'([^']*)'/g, '$1$2')), list: [Flag, string][] = []
  for (let i = 0; i < words.length; i++) {
    const [, dashes, name, , value] = /^(--)?([\w-]+)(=(.*))?$/s.exec(words[i]) ?? [], flag = known.find(f => f === name)
    if (!flag) throw new Error(`${words[i]} is no flag of this page: ${known.join(', ')}`)
    const alone = typeof noFilter[flag] === 'boolean'
    if (!dashes && value === undefined && !alone) throw new Error(`${name} has no value: ${name}=VALUE`)
    if (value === undefined && !alone && i + 1 === words.length) throw new Error(`--${name} has no value`)
    const all = value ?? (alone ? 'true' : words[++i])
    for (const one of flag === 'thread' || flag === 'process' || flag === 'state' ? all.split(',') : [all]) list.push([flag, one])
  }
  return list
}

/** Returns the expression that a search is: plain text in any case, or a regular expression. It throws if that is wrong. */
export const searchOf = (text: string, regular: boolean): RegExp | null => !text ? null : regular ? alternatives([text]) : new RegExp(text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i')

/** Syntax that Go and JavaScript read differently, or that only one of them has. */
const other = /\\[QECa]|\\x\{|\\k|\\[1-9]|\[:\^?\w+:\]|\(\?<?[=!]|\(\?[a-zA-Z]*U/

/** Returns a regular expression of Go for any of the values of a flag; null for none. It throws if it has no equivalent here. */
export function alternatives(values: string[]): RegExp | null {
  if (values.length === 0) return null
  let modes = ''
  const list = values.map(value => {
    const differs = other.exec(value.replace(/\\\\/g, ''))
    if (differs) throw new Error(`the page does not support ${differs[0]} in a regular expression`)
    const m = /^\(\?([ims]+)\)/.exec(value)
    if (m) {
      if (values.length > 1) throw new Error(`the modes (?${m[1]}) apply to a single regular expression only`)
      modes = m[1]
      value = value.slice(m[0].length)
    }
    return '(?:' + value.replace(/\(\?P</g, '(?<').replace(/\\A/g, '^').replace(/\\z/g, '$') + ')'
  })
  const text = list.join('|')
  return new RegExp(text, modes + (/\\p/i.test(text) ? 'u' : ''))
}

const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|,]/g, c => c === ',' ? '\\x2C' : '\\' + c)

/** Returns a regular expression that matches exactly a method's name. */
export const exactly = (name: string): string => '^' + quoted(name) + '$'

/** Returns a regular expression that matches the methods of a module, by their names as the runtime writes them. */
export const inModule = (module: string): string => '^' + quoted(module) + '!'

/** Quotes a word for a shell. */
export function shellQuoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'"
}

/** Returns a filter with some of the flags only. */
export function onlyFlags(filter: Filter, some: readonly Flag[]): Filter {
  return { ...noFilter, ...Object.fromEntries(some.map(flag => [flag, filter[flag]])) }
}

/** The words of a command, the flags of the filter that it takes, and its other flags. */
export interface CommandWords { words: string[]; flags: readonly Flag[]; more: string[] }

/** Returns the command that prints what a page shows. */
export function command(words: string[], filter: Filter, more: string[], file: string): string {
  const list = ['nettrace', ...words]
  for (const [flag, value] of pairs(filter)) {
    list.push('--' + flag)
    if (value) list.push(csv(flag, value))
  }
  return [...list, ...more, file].map(shellQuoted).join(' ')
}

/** Flags whose values are separated by commas need quotes around a value with one. */
function csv(flag: Flag, value: string): string {
  return flag !== 'provider' && Array.isArray(noFilter[flag]) && /[",\n]/.test(value) ? '"' + value.replace(/"/g, '""') + '"' : value
}
