// Events: from the server, or from the report that has them.
import { Doc, decode } from './data'
import { Filter } from './filter'
import { eventFilter } from './eventfilter'
import { embedded, get, gunzip, parsed } from './source'

/** A line that "nettrace events --format ndjson --fields --stacks" prints. */
export interface EventLine {
  provider?: string; id?: number; name?: string; level?: number; keywords?: string; metadataId?: number
  time: string; thread?: string; process?: string; stack?: string[]; fields?: Record<string, unknown>
}

/** Events that match some flags: a part of them, and their number. */
export interface EventList { matched: number; offsets: number[]; events: EventLine[] }

/** Flags of "nettrace events" that the page shows. */
export const eventFlags = ['thread', 'process', 'from', 'to', 'provider', 'event'] as const
export const moreEventFlags = ['level', 'keyword'] as const

/** Returns the flags that choose events as a query. */
export function eventQuery(filter: Filter, more: Record<string, string>): URLSearchParams {
  const query = new URLSearchParams()
  for (const flag of eventFlags) for (const value of [filter[flag]].flat()) if (value) query.append(flag, value)
  for (const flag of moreEventFlags) if (more[flag]) query.append(flag, more[flag])
  return query
}

/** Where events come from. */
export interface Events {
  list(query: URLSearchParams, after: number, limit: number): Promise<EventList>
  /** Returns a document with the stacks of the events that --provider and --event choose. */
  profile(query: URLSearchParams, helpers: boolean): Promise<Doc>
  /** Returns a document with the stacks of some events. */
  stacks(offsets: number[], helpers: boolean): Promise<Doc>
}

const served: Events = {
  async list(query, after, limit) {
    return (await get(`/api/events?after=${after}&limit=${limit}&${query}`)).json()
  },
  profile: (query, helpers) => fetched('/api/profile?' + query + (helpers ? '&runtime-helpers=' : '')),
  stacks: (offsets, helpers) => fetched('/api/stack?' + offsets.map(o => 'event=' + o).join('&') + (helpers ? '&runtime-helpers=' : '')),
}

async function fetched(path: string): Promise<Doc> {
  return decode(new Uint8Array(await (await get(path)).arrayBuffer()))
}

/** The events in a report. */
class Kept implements Events {
  private all: Promise<EventList>
  private document: Promise<Doc>
  constructor(list: Uint8Array, stacks: Uint8Array, private main: Doc) {
    this.all = gunzip(list).then(parsed)
    this.document = decode(stacks)
  }

  async list(query: URLSearchParams, after: number, limit: number): Promise<EventList> {
    const found = await this.matching(query), { offsets, events } = await this.all, part = found.slice(after, after + limit)
    return { matched: found.length, offsets: part.map(i => offsets[i]), events: part.map(i => events[i]) }
  }

  async profile(query: URLSearchParams, helpers: boolean): Promise<Doc> {
    const { offsets } = await this.all
    return chosen(await this.document, new Set((await this.matching(query)).map(i => offsets[i])), helpers)
  }

  async stacks(offsets: number[], helpers: boolean): Promise<Doc> {
    return chosen(await this.document, new Set(offsets), helpers)
  }

  /** Returns the indexes of the events that match. */
  private async matching(query: URLSearchParams): Promise<number[]> {
    const { events } = await this.all, match = eventFilter(query, this.main.head), found: number[] = []
    for (let i = 0; i < events.length; i++) if (match(events[i])) found.push(i)
    return found
  }
}

/** Returns a document with the samples of some events only, with or without the frames of the runtime's helpers. */
function chosen(doc: Doc, offsets: Set<number>, helpers: boolean): Doc {
  const of = doc.samples.get('event')
  if (!of) return doc
  const rows: number[] = [], starts = [0]
  for (let thread = 0; thread + 1 < of.offsets.length; thread++) {
    for (let i = of.offsets[thread]; i < of.offsets[thread + 1]; i++) if (offsets.has(of.offset[i])) rows.push(i)
    starts.push(rows.length)
  }
  const node = (i: number) => helpers ? of.node[i] : withoutHelpers(doc, of.node[i], of.helpers[i] ?? 0)
  const float = (list: Float64Array) => Float64Array.from(rows, i => list[i]), byte = (list: Uint8Array) => Uint8Array.from(rows, i => list[i])
  const some = {
    ...of, offsets: starts, at: float(of.at), value: float(of.value), end: float(of.end), until: float(of.until), node: Int32Array.from(rows, node),
    state: byte(of.state), status: byte(of.status), offset: float(of.offset), class: none, added: none, context: none, byTime: none, helpers: none,
  }
  return { ...doc, samples: new Map([['event', some]]) }
}

const none = new Int32Array(0)

/** Returns the node above the frames of helpers at the leaf; a stack of helpers only stays. */
function withoutHelpers(doc: Doc, node: number, flags: number): number {
  let at = node
  while (at > 0 && doc.flags[doc.func[at]] & flags) at = doc.parent[at]
  return at > 0 ? at : node
}

/** Returns where the page gets events from, null for a report without them. */
export function eventsOf(main: Doc): Events | null {
  if (!embedded('data')) return served
  const list = embedded('events'), stacks = embedded('stacks')
  return list && stacks ? new Kept(list, stacks, main) : null
}

/** What of the head is about the trace, not about samples. */
const ofTrace = ['marks', 'counters', 'parts', 'partNames', 'findings', 'leftOut', 'startNs', 'endNs', 'lost', 'lostEvents', 'error', 'command'] as const

/** Returns a document of events as a part of the trace's document. */
export function within(main: Doc, events: Doc): Doc {
  return { ...events, head: { ...events.head, ...Object.fromEntries(ofTrace.map(key => [key, main.head[key]])) } }
}

/** Returns the time of an event in nanoseconds since the sync time. */
export function timeOf(e: EventLine, head: Doc['head']): number {
  const frequency = BigInt(head.frequency)
  return frequency === 0n ? 0 : Number((BigInt(e.time) - BigInt(head.syncTicks)) * 1000000000n / frequency)
}
