// The filter of "nettrace events" for the events in a report.
import type { Head } from './data'
import type { EventLine } from './events'
import { firstTicks, momentOf } from './time'

type Match = (e: EventLine) => boolean

const levels = ['always', 'critical', 'error', 'warning', 'informational', 'verbose']

/** Returns the function that matches the events that the flags choose. It throws if a value is wrong. */
export function eventFilter(query: URLSearchParams, head: Head): Match {
  const list = (flag: string) => query.getAll(flag).flatMap(v => v.split(',')), all: Match[] = []
  const providers = list('provider').map(glob), threads = list('thread').map(v => range('thread', v)), processes = list('process').map(v => range('process', v))
  if (providers.length) all.push(e => e.provider !== undefined && providers.some(p => p.test(e.provider!)))
  const ids = list('event').filter(v => isID.test(v)).map(v => range('event', v)), names = list('event').filter(v => !isID.test(v)).map(glob)
  if (ids.length + names.length) all.push(e => e.id !== undefined && (within(e.id, ids) || names.some(p => p.test(e.name ?? ''))))
  if (threads.length) all.push(e => e.thread !== undefined && within(e.thread, threads))
  if (processes.length) all.push(e => e.process !== undefined && within(e.process, processes))
  const level = query.get('level'), keyword = query.get('keyword')
  if (level) {
    const named = levels.indexOf(level.toLowerCase()), most = named >= 0 ? BigInt(named) : number('level', level)
    all.push(e => BigInt(e.level ?? 0) <= most)
  }
  if (keyword) {
    const mask = number('keyword', keyword)
    all.push(e => (BigInt(e.keywords ?? '0') & mask) !== 0n)
  }
  const from = ticks('from', query.get('from'), head), to = ticks('to', query.get('to'), head)
  if (from !== null) all.push(e => BigInt(e.time) >= from)
  if (to !== null) all.push(e => BigInt(e.time) < to)
  return e => all.every(match => match(e))
}

const isID = /^(0x[0-9a-f]+|[0-9]+)(-.*)?$/i

/** Returns the expression of a glob, as the program matches it: letter case is ignored. */
function glob(text: string): RegExp {
  let made = ''
  for (let i = 0; i < text.length; i++) {
    const c = text[i], set = c === '[' ? /^\[(\^?)((?:\\.|[^\]\\])+)\]/.exec(text.slice(i)) : null
    if (c === '*') made += '[^]*'
    else if (c === '?') made += '[^]'
    else if (c === '[') {
      if (!set) throw new Error(`${text} is no pattern`)
      made += `[${set[1]}${set[2].replace(/[[&]/g, '\\$&')}]`
      i += set[0].length - 1
    } else if (c === '\\' && i + 1 < text.length) made += literal(text[++i])
    else made += literal(c)
  }
  return new RegExp('^' + made + '$', 'i')
}

const literal = (c: string) => c.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

function number(flag: string, text: string): bigint {
  if (!/^(0x[0-9a-f]+|[0-9]+)$/i.test(text.trim())) throw new Error(`--${flag}: ${text} is no number`)
  return BigInt(text.trim())
}

function range(flag: string, text: string): [bigint, bigint] {
  const [first, last = first] = text.split('-')
  return [number(flag, first), number(flag, last)]
}

const within = (id: string | number, ranges: [bigint, bigint][]) => ranges.some(([a, b]) => BigInt(id) >= a && BigInt(id) <= b)

/** Returns the first timestamp that is not before a moment, null without one. */
function ticks(flag: string, text: string | null, head: Head): bigint | null {
  if (!text) return null
  if (BigInt(head.frequency) === 0n) throw new Error(`--${flag}: the trace has no clock`)
  return firstTicks(momentOf(flag, text, head), head)
}
