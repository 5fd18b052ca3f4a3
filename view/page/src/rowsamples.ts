// The samples that a row of a report is about, as a change of the filter for the flame graph.
import { Doc, Row } from './data'
import { Filter, exactly } from './filter'
import { Range } from './profile'
import { linkOf } from './rowlink'
import { durationText } from './time'

/** A button that shows samples. */
export interface RowSamples { label: string; change: Partial<Filter> }

/** Of the parts whose rows add up samples: the key of the method that they go through, and the words of the button. */
const summed: Record<string, [method: string, label: string]> = {
  alloc: ['site', 'Samples of this site'], locks: ['method', 'Samples of the waiters'], waits: ['method', 'Samples of these waits'], exceptions: ['thrower', 'Samples of the thrower'],
}

/** Returns what can be shown of a row. The other flags of the filter are taken away: they can hide it. */
export function samplesOfRow({ head }: Doc, part: string, row: Row): RowSamples[] {
  const has = (option: string) => head.types.some(t => t.option === option && !t.of), list: RowSamples[] = [], type = head.tables[part]?.samples, [key = '', label = ''] = summed[part] ?? []
  const during = (range: Range, threads: string[]): Partial<Filter> => ({ type: 'wall', from: durationText(range.from), to: durationText(range.to), thread: threads })
  if (type && row[key]) {
    const focus = [exactly(String(row[key]))]
    if (has(type)) list.push({ label, change: { type, focus, ...type === 'alloc' ? { class: [exactly(String(row.type))] } : {} } })
    else if (has('wall')) list.push({ label, change: { type: 'wall', focus } })
  }
  const holder = (row.holder as Row | undefined)?.threadId ?? (row.longest as Row | undefined)?.ownerThreadId, link = linkOf(row, '')
  if (!link?.range || !has('wall')) return list
  if (holder) list.push({ label: 'Samples of the holder', change: during(link.range, [String(holder)]) })
  else if (!type && link.threads.length > 0) list.push({ label: 'Samples of its time and threads', change: during(link.range, link.threads) })
  return list
}
