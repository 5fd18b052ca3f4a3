// The part of the address after #: /PAGE?flag=value&..., with the flags of the program.
import { Filter, Flag, flags, noFilter, pairs, withValue } from './filter'

/** The pages that show a profile, and their labels. */
export const profilePages: [string, string][] = [['flame', 'Flame graph'], ['top', 'Top'], ['tree', 'Call tree'], ['time', 'Time order']]

export interface Address {
  page: string
  filter: Filter
  more: Record<string, string>  // at, root, sort, q, and keys that this version does not know
}

/** Reads an address; without a page it is that of the summary. */
export function parseAddress(hash: string): Address {
  const [, path, query = ''] = /^#?\/?([^?]*)\??(.*)$/.exec(hash)!
  let filter: Filter = { ...noFilter }
  const more: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(query)) {
    if (flags.includes(key as Flag)) filter = withValue(filter, key as Flag, value)
    else more[key] = value
  }
  return { page: path || 'summary', filter, more }
}

/** Writes an address. */
export function formatAddress(a: Address): string {
  const query = new URLSearchParams([...pairs(a.filter), ...Object.entries(a.more).filter(([, v]) => v !== '')])
  const text = query.toString()
  return '#/' + a.page + (text ? '?' + text : '')
}
