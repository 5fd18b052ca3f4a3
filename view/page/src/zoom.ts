// The visible part of the timeline.
import { Doc } from './data'
import { Range } from './profile'
import { bound, parseDuration } from './time'

/** Returns the visible part for the value in the address, two times: the complete recording, also when that grows, until a part is chosen. */
export function zoomOf(doc: Doc, text: string | undefined): Range {
  const { startNs, endNs } = doc.head, [a, b] = (text ?? '').split(',').map(parseDuration)
  if (a === null || a === undefined || b === null || b === undefined) return { from: startNs, to: endNs }
  const from = Math.max(bound(a, doc.head), startNs), to = Math.min(bound(b, doc.head), endNs)
  return to > from ? { from, to } : { from: startNs, to: endNs }
}
