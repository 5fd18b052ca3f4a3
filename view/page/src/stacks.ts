// The profile of events: of those that --provider and --event choose, or of some that are selected.
import { useEffect, useState } from 'preact/hooks'
import { Address } from './address'
import { Doc } from './data'
import { Events, within } from './events'
import { Filter, noFilter, workStates } from './filter'
import { durationText } from './time'
import { messageOf } from './format'

/** Returns the filter of a page that has none: the threads that work, as "nettrace top" shows. */
export function firstFilter(doc: Doc): Filter {
  const type = doc.head.types[0]
  return type?.name === 'wall' ? { ...noFilter, type: 'wall', state: [...workStates] } : { ...noFilter, type: type?.option ?? '' }
}

const choosesEvents = (a: Address) => a.filter.provider.length + a.filter.event.length > 0 || !!a.more.events

/** Returns an address whose type goes with its events, as the program demands: the last change decides. Without a type and states, it has those of the first filter. */
export function settled(doc: Doc, before: Address, next: Address): Address {
  const { filter, more } = next, of = filter.type === 'event'
  if (!filter.type && filter.state.length === 0 && !choosesEvents(next)) {
    const { type, state } = firstFilter(doc)
    return { ...next, filter: { ...filter, type, state } }
  }
  if (choosesEvents(next) === of) return next
  if (!of && before.filter.type === 'event') return { ...next, filter: { ...filter, provider: [], event: [] }, more: { ...more, events: '' } }
  if (!of) return { ...next, filter: { ...filter, type: 'event', state: [] } }
  const { type, state } = firstFilter(doc)
  return { ...next, filter: { ...filter, type, state } }
}

/** The document of the events of an address; null if it has none, or while it is read. */
export interface Stacks { doc: Doc | null; why: string }

/** Reads the stacks of the events of an address. */
export function useStacks(main: Doc, events: Events | null, address: Address): Stacks {
  const { filter, more, page } = address, helpers = filter['runtime-helpers']
  const query = new URLSearchParams([...filter.provider.map(v => ['provider', v]), ...filter.event.map(v => ['event', v])])
  const key = !choosesEvents(address) || page === 'events' ? '' : JSON.stringify([more.events, String(query), helpers])
  const [read, setRead] = useState<{ key: string; doc: Doc | null; why: string }>({ key: '', doc: null, why: '' })
  useEffect(() => {
    if (key === '' || read.key === key) return
    if (!events) return setRead({ key, doc: null, why: 'This file has no events: write it with nettrace report --events.' })
    let late = false
    const load = more.events ? events.stacks(more.events.split(',').map(Number), helpers) : events.profile(query, helpers)
    load.then(doc => ({ key, doc: within(main, doc), why: '' })).catch(e => ({ key, doc: null, why: messageOf(e) }))
      .then(done => { if (!late) setRead(done) })
    return () => { late = true }
  }, [key])
  if (key === '') return { doc: null, why: '' }
  return read.key === key ? read : { doc: null, why: 'Reading the stacks of the events…' }
}

/** Returns the filter of a command whose events include those of a document: those of its threads and its time. */
export function enclosing(doc: Doc, filter: Filter): Filter {
  const s = doc.samples.get('event')
  if (!s || s.at.length === 0) return filter
  const thread = doc.head.threads.filter((_, i) => s.offsets[i + 1] > s.offsets[i]).map(t => t.id)
  const from = s.at.reduce((a, b) => Math.min(a, b)), to = s.at.reduce((a, b) => Math.max(a, b)) + 1
  return { ...filter, provider: ['*'], event: [], from: filter.from || durationText(from), to: filter.to || durationText(to), thread: filter.thread.length ? filter.thread : thread }
}
