// What is wrong with an address: keys that this version does not know, and values that have no meaning. They are kept.
import { Address } from './address'
import { byKeys } from './by'
import { colorModes } from './colors'
import { Doc } from './data'
import { states } from './filter'
import { nodeKeys } from './samenode'
import { parseDuration } from './time'

/** Returns whether a text is a list of nodes of a document, with what follows their numbers. */
const nodes = (form: RegExp) => (text: string, doc: Doc) => text.split(',').every(one => form.test(one) && parseInt(one) < doc.parent.length)
const oneOf = (...values: string[]) => (text: string) => values.includes(text)
const any = () => true
const isZoom = (text: string) => text.split(',').length === 2 && text.split(',').every(t => parseDuration(t) !== null)

/** The keys of an address that are no flags of the filter, and their values. */
const keys: Record<string, (value: string, doc: Doc) => boolean> = {
  at: (text, doc) => /^\d+$/.test(text) && Number(text) < doc.parent.length, root: nodes(/^\d*(\^\d+)?(~\d+)?$/), open: nodes(/^\d+$/), zoom: isZoom, sort: oneOf('self', 'total'), q: any, method: any, row: any, events: text => /^\d+(,\d+)*$/.test(text),
  up: oneOf('1'), color: oneOf(...colorModes), widths: oneOf('other'), change: oneOf('value'), by: oneOf(...byKeys), callers: any, callees: any, level: any, keyword: any,
  paths: any, dominators: oneOf('1'), roots: oneOf('1'), below: any, as: oneOf('tree'), gc: text => /^\d+$/.test(text), partial: oneOf('1'), min: text => /^\d+(\.\d+)?$/.test(text) && Number(text) <= 100,
}

/** Returns what is wrong with an address, each as text. The filter bar reports wrong times, ids and regular expressions. */
export function problemsOf(doc: Doc, { filter, more }: Address): string[] {
  const list: string[] = [], wrong = (key: string, value: string) => list.push(`${key} has no value ${value}`)
  for (const [key, value] of Object.entries(more)) {
    if (!Object.hasOwn(keys, key)) list.push(`${key} is not known`)
    else if (value && !(filter.type === 'event' && nodeKeys.includes(key)) && !keys[key](value, doc)) wrong(key, value)
  }
  const types = [...doc.head.types.map(t => t.option), ...Object.keys(doc.head.why), 'event', '']
  if (!types.includes(filter.type)) wrong('type', filter.type)
  for (const state of filter.state.flatMap(s => s.split(','))) if (!states.includes(state)) wrong('state', state)
  if (!['', 'module', 'namespace', 'assembly'].includes(filter.group)) wrong('group', filter.group)
  return list
}
