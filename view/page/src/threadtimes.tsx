// The table of the page threads: what each thread did, as "nettrace threadtime" prints it.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { idOf } from './by'
import { palette } from './colors'
import { Doc, Thread } from './data'
import { Filter } from './filter'
import { amount, printable } from './format'
import { Range, selectedThreads } from './profile'
import { Column, Table, numbers, texts } from './table'

/** The times of a thread in a range: in all, by state, and by cause where it waited or was blocked. */
export interface Times { thread: Thread; observed: number; spent: number[]; causes: Map<string, number> }

const ns = (n: number) => amount(n, 'nanoseconds')

/** Returns the times of the threads that a filter selects, those that ran longest first. */
export function timesOf({ head, line }: Doc, threads: boolean[], range: Range): Times[] {
  const { starts, offsets, states, causes } = head.lines!
  const list = head.threads.map((thread, t): Times => {
    const of: Times = { thread, observed: 0, spent: states.map(() => 0), causes: new Map() }
    for (let i = offsets[t], from = starts[t]; i < offsets[t + 1] && threads[t]; i++) {
      const until = from + line.length[i], time = Math.max(Math.min(until, range.to) - Math.max(from, range.from), 0), state = states[line.state[i]], cause = causes[line.cause[i]]
      of.observed += time
      of.spent[line.state[i]] += time
      if (cause && time && (state === 'waiting' || state === 'blocked')) of.causes.set(cause, (of.causes.get(cause) ?? 0) + time)
      from = until
    }
    return of
  })
  const ran = ({ spent }: Times) => spent[0] + spent[1]  // or may have run: native code
  return list.filter(of => of.observed > 0).sort((a, b) => ran(b) - ran(a) || b.observed - a.observed)
}

export function ThreadTimes({ doc, filter, range, onOpen }: { doc: Doc; filter: Filter; range: Range; onOpen(thread: string): void }) {
  const rows = useMemo(() => {
    try {
      return timesOf(doc, selectedThreads(doc, filter), range)
    } catch {
      return []  // the filter bar has the error
    }
  }, [doc, filter.thread, filter.process, range.from, range.to])
  const id = (r: Times) => idOf(r.thread, doc.head.processes.length > 1), { states: s, page } = palette(), { states } = doc.head.lines!
  const colors: Record<string, string> = { waiting: s.waiting, idle: s.waiting, runnable: s.waiting, blocked: s.blocked, stopped: s.gc, 'not sampled': page }
  const bar = ({ spent, observed }: Times) => {
    let at = 0
    return `linear-gradient(to right, ${spent.map((v, i) => `${colors[states[i]] ?? s.running} ${at}% ${at += 100 * v / observed}%`)})`
  }
  const waited = (r: Times) => [...r.causes].sort((a, b) => b[1] - a[1]).map(([cause, time]) => `${cause} ${ns(time)}`).join(', ')
  return rows.length > 0 && <section><h2>Threads by state</h2><Table label="Threads by state" rows={rows} onOpen={r => onOpen(id(r))} columns={[
    { key: 'thread', title: 'thread', right: true, fixed: 80, cell: id } as Column<Times>, texts<Times>('name', r => r.thread.name), { key: 'share', title: 'share', fixed: 100, cell: r => <div class="shares" style={{ background: bar(r) }} />, text: () => '' },
    numbers<Times>('observedNs', 'observed', 92, r => r.observed, ns),
    ...states.map((state, i) => numbers<Times>(state.replace(' s', 'S') + 'Ns', state, 92, r => r.spent[i], ns)).filter((_, i) => rows.some(r => r.spent[i])),
    { key: 'waitedFor', title: 'waited for', cell: r => printable(waited(r)), exact: r => printable(waited(r)) },
  ]} /></section>
}
