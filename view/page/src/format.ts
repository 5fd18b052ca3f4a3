// Numbers and texts for users, as the program prints them.

const scales: Record<string, [string, number, number][]> = {
  nanoseconds: [[' s', 1e9, 2], [' ms', 1e6, 2], [' µs', 1e3, 1], [' ns', 1, 0]],
  'bytes in memory': [[' GB', 1e9, 1], [' MB', 1e6, 1], [' kB', 1e3, 1], [' bytes', 1, 0]],
  bytes: [[' GB', 1e9, 2], [' MB', 1e6, 2], [' kB', 1e3, 1], [' B', 1, 0]],
}

/** Returns a value with a unit. */
export function amount(value: number, unit: string): string {
  if (unit === 'nanoseconds' && Math.abs(value) >= 3600e9) return seconds(value, 0)
  const scale = value === 0 ? undefined : scales[unit]
  for (const [name, size, decimals] of scale ?? []) {
    if (Math.abs(value) >= size) return (value / size).toFixed(decimals) + name
  }
  return grouped(value)
}

/** Returns the least value, Infinity for none. Math.min takes a limited number of them. */
export const least = (values: number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity)

/** Returns the greatest value, -Infinity for none. */
export const greatest = (values: number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity)

/** Returns a value, or the end of a range that is nearest to it. */
export const within = (value: number, from: number, to: number): number => Math.min(Math.max(value, from), to)

/** Compares texts as the program does, for a sort. */
export const byText = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** Returns a number with commas between thousands. */
export function grouped(n: number): string {
  const [whole, fraction] = String(n).split('.')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? '.' + fraction : '')
}

/** Returns a part of a whole in percent with one decimal. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %'
  const p = 100 * part / whole
  return p > 0 && p < 0.05 ? '< 0.1 %' : p.toFixed(1) + ' %'
}

/** Returns a part of a whole in percent for a program. */
export const percentOf = (part: number, whole: number): string => String(whole === 0 ? 0 : 100 * part / whole)

/** Returns a time since the sync time in seconds, after an hour with hours and minutes. */
export function seconds(ns: number, decimals = 3): string {
  const hours = Math.floor(Math.abs(ns) / 3600e9), left = Math.abs(ns) - hours * 3600e9, minutes = Math.floor(left / 60e9)
  return hours > 0 ? `${ns < 0 ? '-' : ''}${grouped(hours)} h ${minutes} min ${((left - minutes * 60e9) / 1e9).toFixed(decimals)} s` : (ns / 1e9).toFixed(decimals) + ' s'
}

/** Returns a time of an axis in the unit that its decimals of a second need: with more than three ms, with more than six µs. */
export const axisTime = (ns: number, decimals: number): string =>
  decimals > 6 ? (ns / 1e3).toFixed(decimals - 6) + ' µs' : decimals > 3 ? (ns / 1e6).toFixed(decimals - 3) + ' ms' : seconds(ns, decimals)

/** Returns the text of what was thrown. */
export const messageOf = (e: unknown): string => e instanceof Error ? e.message : String(e)

/** Returns a number and what it counts. */
export const counted = (n: number, what: string): string => grouped(n) + ' ' + what + (n === 1 ? '' : 's')

/** Returns text of a trace without characters that control or reorder text: they become U+HEX. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, c => 'U+' + c.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0'))
}

/** Returns the forms of a method's name, the longest one first: with parameters, without, type and method, method. The name of a static field before a type stays. */
export function nameForms(name: string): string[] {
  const field = /^\[[^\]]+\] (?=.)/.exec(name)
  if (field) return [...nameForms(name.slice(field[0].length)).map(form => field[0] + form), field[0].trim()]
  const parameters = outside(name, '('), whole = parameters < 0 ? name : name.slice(0, parameters)
  const forms = parameters < 0 ? [name] : [name, whole]
  const dots: number[] = []
  for (let depth = 0, i = 0; i < whole.length; i++) {
    if (whole[i] === '<' || whole[i] === '[') depth++
    else if (whole[i] === '>' || whole[i] === ']') depth--
    else if (whole[i] === '.' && depth === 0 && i > 0 && whole[i - 1] !== '.') dots.push(i)
  }
  if (dots.length > 1) forms.push(whole.slice(dots[dots.length - 2] + 1))
  if (dots.length > 0) forms.push(whole.slice(dots[dots.length - 1] + 1))
  const short = forms[forms.length - 1], generic = short.indexOf('<')
  if (generic > 0) forms.push(short.slice(0, generic))
  return forms
}

/** Returns the first place of a character that is not within angle brackets. */
function outside(name: string, wanted: string): number {
  for (let depth = 0, i = 0; i < name.length; i++) {
    if (name[i] === '<') depth++
    else if (name[i] === '>') depth--
    else if (depth === 0 && name[i] === wanted) return i
  }
  return -1
}

/** Returns a text that fits into a number of characters: cut in the middle, where names that differ are alike most often. */
export function middle(text: string, characters: number): string {
  const kept = Math.floor(characters) - 1, end = Math.ceil(kept / 2)
  return text.length <= characters ? text : kept < 3 ? '' : text.slice(0, kept - end) + '…' + text.slice(text.length - end)
}

/** Returns the longest form of a name that fits into a number of characters, its end if none does, "" for fewer than four. */
export function fit(name: string, characters: number): string {
  const forms = nameForms(name)
  return forms.find(form => form.length <= characters) ?? middle(forms[forms.length - 1], characters)
}
