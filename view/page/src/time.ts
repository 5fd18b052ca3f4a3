// Times and ranges as the flags --from and --to have them.
import type { Head } from './data'

const units: Record<string, bigint> = {
  ns: 1n, us: 1000n, 'µs': 1000n, 'μs': 1000n, ms: 1000000n, s: 1000000000n, m: 60000000000n, h: 3600000000000n,
}

/** Returns the nanoseconds of a duration such as "1m2.5s", as Go parses it; null if it is none. */
export function parseDuration(text: string): bigint | null {
  const [, sign, rest] = /^([+-]?)(.*)$/.exec(text)!
  if (rest === '0') return 0n
  let sum = 0n, end = 0
  for (const m of rest.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g)) {
    if (m.index !== end || !m[1] && !m[2]) return null
    end += m[0].length
    const unit = units[m[3]], digits = m[2] || ''
    sum += BigInt(m[1] || 0) * unit
    if (digits) sum += BigInt(digits) * unit / 10n ** BigInt(digits.length)
  }
  return end === 0 || end !== rest.length ? null : sign === '-' ? -sum : sum
}

function epochNanos(text: string): bigint | null {
  const m = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text)
  const ms = m ? Date.parse(m[1] + m[3]) : NaN
  return Number.isNaN(ms) ? null : BigInt(ms) * 1000000n + BigInt((m![2] || '').padEnd(9, '0'))
}

/** Returns the nanoseconds since the sync time of the value of --from or --to: a duration, or a time in RFC 3339. It throws if it is neither. */
export function momentOf(flag: string, text: string, head: Head): bigint {
  const duration = parseDuration(text), at = epochNanos(text), sync = epochNanos(head.syncTime)
  if (duration !== null) return duration
  if (at === null || sync === null) throw new Error(`--${flag}: ${text} is neither a duration ("2s") nor a time`)
  return at - sync
}

/** Returns the first timestamp that is not before a moment. */
export function firstTicks(nanos: bigint, head: Head): bigint {
  const product = nanos * BigInt(head.frequency)
  return BigInt(head.syncTicks) + product / 1000000000n + (product > 0n && product % 1000000000n !== 0n ? 1n : 0n)
}

/** Returns the time of the first timestamp that is not before a moment: the bound of a range in the document's times. */
export function bound(nanos: bigint, head: Head): number {
  const frequency = BigInt(head.frequency)
  if (frequency === 0n) return Number(nanos)
  const since = firstTicks(nanos, head) - BigInt(head.start), length = (since < 0n ? -since : since) * 1000000000n / frequency
  return head.startNs + Number(since < 0n ? -length : length)
}

/** Writes a time as a value of --from and --to, exactly. */
export function durationText(ns: number): string {
  for (const [unit, size] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]] as [string, number][]) {
    if (ns % size === 0) return ns / size + unit
  }
  if (Math.abs(ns) < 1e3) return ns + 'ns'
  const sign = ns < 0 ? '-' : '', abs = Math.abs(ns)
  return sign + Math.floor(abs / 1e9) + '.' + String(abs % 1e9).padStart(9, '0').replace(/0+$/, '') + 's'
}
