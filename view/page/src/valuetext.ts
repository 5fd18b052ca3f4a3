// The values and keys of reports as text.
import { Row } from './data'
import { amount, grouped, printable, seconds } from './format'

/** Returns a value of a row as text; the end of the key is the unit. */
export function valueText(key: string, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') {
    if (/^((pause)?start|end|from|to|at|begin|first|last)Ns$/i.test(key)) return seconds(value)
    if (/Ns$/.test(key)) return amount(value, 'nanoseconds')
    if (/bytesPerSecond$/i.test(key)) return amount(value, 'bytes') + '/s'
    if (/Bytes$|^bytes$/.test(key)) return amount(value, 'bytes')
    if (/Percent$/.test(key)) return value.toFixed(1) + ' %'
    return /id$/i.test(key) ? String(value) : Number.isInteger(value) ? grouped(value) : value.toFixed(2)
  }
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return printable(value.map(v => typeof v === 'object' ? JSON.stringify(v) : String(v)).join(' < '))
  if (typeof value === 'object') {
    return Object.entries(value as Row).filter(([, v]) => !Array.isArray(v)).map(([k, v]) => `${title(k)}${/Ns$/.test(k) ? ' time' : ''} ${valueText(k, v)}`).join(', ')
  }
  return printable(String(value))
}

/** Returns the words of a key: "heapAfterBytes" is "heap after". */
export function title(key: string): string {
  return key.replace(/(Ns|Bytes)$/, '').replace(/Percent$/, ' %').replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase() || key
}
