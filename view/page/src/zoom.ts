// The visible part of the timeline.
import { useMemo, useState } from 'preact/hooks'
import { Doc } from './data'
import { Range } from './profile'

/** Returns the visible part: the complete recording, also when that grows, until a part is chosen. */
export function useZoom(doc: Doc): [Range, (zoom: Range) => void] {
  const { startNs, endNs } = doc.head, [chosen, choose] = useState<Range | null>(null)
  const zoom = useMemo(() => chosen ?? { from: startNs, to: endNs }, [chosen, startNs, endNs])
  return [zoom, next => choose(next.from <= startNs && next.to >= endNs ? null : next)]
}
