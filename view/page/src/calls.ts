// What tests and scripts can call: the numbers that the pages show.
import { parseAddress } from './address'
import { aroundOf } from './around'
import { byOf, rowsBy } from './by'
import { moduleColor, palette, shareColor } from './colors'
import { Doc } from './data'
import { changes, otherOf } from './diff'
import { eventQuery, eventsOf } from './events'
import { alternatives } from './filter'
import { children } from './frames'
import { askHeap, heapFlags, icicleOf } from './heap'
import { Profile, profileOf } from './profile'
import { pathOf } from './samenode'
import { durationText, parseDuration } from './time'

interface Call { name: string; module: string; self: number; total: number; calls: Call[] }

/** Returns the calls from the root of a profile. */
function callsOf(p: Profile): Call[] {
  const { tree } = p, { child, next } = children(tree.parent), made: Call[] = []
  for (let node = tree.parent.length - 1; node >= 0; node--) {
    if (p.all[node] === 0 && node > 0) continue
    const row = tree.row[node], call: Call = { name: tree.names[row] ?? '', module: tree.modules[row] ?? '', self: p.self[node], total: p.total[node], calls: [] }
    for (let at = child[node]; at > 0; at = next[at]) if (made[at]) call.calls.push(made[at])
    made[node] = call
  }
  return made[0].calls
}

/** Makes the functions available as window.nettrace. */
export function publish(doc: Doc) {
  const call = {
    /** Returns the head of the document. */
    head: () => doc.head,
    /** Returns the rows of the page Top for the filter of an address. */
    top(address: string) {
      const { filter, more } = parseAddress(address), p = profileOf(doc, filter)
      return {
        total: p.sum, samples: p.samples, root: p.total[0],
        rows: rowsBy(doc, filter, p, byOf(more.by), more.sort === 'total' ? 'total' : 'self').map(({ name, module, self, total, samples }) => ({ name, module, self, total, samples })),
      }
    },
    /** Returns the methods of a node of the document, the root first, and the number of nodes. */
    path: (node: number) => ({ path: pathOf(doc, node), nodes: doc.parent.length }),
    /** Returns the nanoseconds of a duration. */
    duration: (text: string) => String(parseDuration(text) ?? 'none'),
    /** Returns a time as the value of a flag. */
    flag: durationText,
    /** Returns the palette, and the colours of frames of a number of modules and of shares. */
    colors(modules: number) {
      const p = palette(), colors = [moduleColor('System', true, p), p.states.waiting]
      for (let i = 0; i < modules; i++) colors.push(moduleColor('module ' + i, false, p))
      for (let i = 0; i <= 20; i++) colors.push(shareColor(i / 20, 'state', p), shareColor(i / 20, 'self', p))
      return { text: p.text, page: p.page, muted: p.muted, colors }
    },
    /** Returns the rows of the page Top with --diff for the filter of an address. */
    async diff(address: string) {
      const { filter, more } = parseAddress(address), older = await otherOf(doc), after = profileOf(doc, filter), before = profileOf(older!, filter)
      return changes(after, before, doc.head.noFrames, more.sort === 'total' ? 'total' : 'self', more.change === 'value').map(c => ({
        name: c.name, module: c.module, self: c.self, selfChange: c.self - c.selfBefore, selfPercent: c.share, selfPercentBefore: c.shareBefore,
        selfChangeStandardErrors: c.errors, total: c.total, totalChange: c.total - c.totalBefore,
      }))
    },
    /** Returns a part of the rows of the page Events for the filter of an address, when they are read. */
    async events(address: string, after: number, limit: number) {
      const a = parseAddress(address), list = await eventsOf(doc)!.list(eventQuery(a.filter, a.more), after, limit)
      return { matched: list.matched, events: list.events }
    },
    /** Returns the rows of the icicle of the page heap for an address, when the dump is read. */
    async heap(address: string) {
      const { more } = parseAddress(address)
      return callsOf(icicleOf(await askHeap(heapFlags(more), new AbortController().signal), more.below ?? '').profile)
    },
    /** Returns the calls of the page Call tree for the filter of an address. */
    tree: (address: string) => callsOf(profileOf(doc, parseAddress(address).filter)),
    /** Returns the callers or callees of the page Call tree for an address. */
    around(address: string) {
      const { filter, more } = parseAddress(address), side = more.callers ? 'callers' : 'callees'
      return callsOf(aroundOf(profileOf(doc, filter), alternatives([more[side]])!, side))
    },
  }
  Object.defineProperty(window, 'nettrace', { value: call, configurable: true })
}
