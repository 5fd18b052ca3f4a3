// The table of the page threads: the time of each thread by state, from the samples of its stacks.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { idOf } from './by'
import { palette } from './colors'
import { Doc, Thread } from './data'
import { noFilter, states } from './filter'
import { amount } from './format'
import { Range, eachSample } from './profile'
import { Column, Table, numbers, texts } from './table'
import { kindOfState } from './tracks'

/** The times of a thread in a range: running, waiting, blocked, not sampled; from its first to its last sample; and in it the pauses of the garbage collector. */
interface Times { thread: Thread; spent: number[]; from: number; to: number; gc: number }

const titles = ['running', 'waiting', 'blocked', 'not sampled']

/** Returns the times of the threads with samples, those that run longest first; null if the trace has no wall samples. */
function timesOf(doc: Doc, range: Range): Times[] | null {
  const { head } = doc, wall = head.types.find(t => t.name === 'wall'), list = head.threads.map((thread): Times => ({ thread, spent: [0, 0, 0, 0], from: Infinity, to: 0, gc: 0 }))
  if (!wall) return null
  eachSample(doc, { ...noFilter, state: states }, wall, range, list.map(() => true), (i, thread, from, value) => {
    const of = list[thread]
    of.spent[kindOfState[doc.samples.get('wall')!.state[i] >> 1]] += value
    of.from = Math.min(of.from, from)
    of.to = Math.max(of.to, from + value)
  })
  for (const of of list) {
    of.spent[3] = Math.max(of.to - of.from - of.spent[0] - of.spent[1] - of.spent[2], 0)
    for (const m of head.marks) if (m.kind === 'pause' && head.threads[m.thread].process === of.thread.process) of.gc += Math.max(Math.min(m.toNs, of.to) - Math.max(m.fromNs, of.from), 0)
  }
  return list.filter(of => of.to > of.from).sort((a, b) => b.spent[0] - a.spent[0])
}

export function ThreadTimes({ doc, range, onOpen }: { doc: Doc; range: Range; onOpen(thread: string): void }) {
  const rows = useMemo(() => timesOf(doc, range), [doc, range.from, range.to]), id = (r: Times) => idOf(r.thread, doc.head.processes.length > 1), { states: s, page } = palette(), colors = [s.running, s.waiting, s.blocked, page]
  const time = (key: string, title: string, of: (r: Times) => number): Column<Times> => numbers(key + 'Ns', title, 104, of, n => amount(n, 'nanoseconds'))
  const bar = ({ spent, from, to }: Times) => {
    let at = 0
    return `linear-gradient(to right, ${spent.map((v, i) => `${colors[i]} ${at}% ${at += 100 * v / (to - from)}%`)})`
  }
  return rows && <section><h2>Threads by state</h2><Table label="Threads by state" rows={rows} onOpen={r => onOpen(id(r))} columns={[
    { key: 'thread', title: 'thread', right: true, fixed: 80, cell: id }, texts<Times>('name', r => r.thread.name),
    ...titles.map((title, i) => time(title.replace(' s', 'S'), title, r => r.spent[i])), time('lifetime', 'lifetime', r => r.to - r.from), time('gc', 'GC', r => r.gc),
    { key: 'share', title: 'share', fixed: 120, cell: r => <div class="shares" style={{ background: bar(r) }} />, text: () => '' },
  ]} /></section>
}
