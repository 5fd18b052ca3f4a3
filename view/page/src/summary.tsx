// The page Summary: what the process did, findings, and the rows that users look for.
import { ComponentChildren, h } from 'preact'
import { useMemo, useRef } from 'preact/hooks'
import { Doc, Report, Row, isEmpty } from './data'
import { button, fact } from './facts'
import { Folded } from './figures'
import { BooleanFlag, Filter } from './filter'
import { Findings } from './findings'
import { amount, counted, fit, grouped, middle, percent, printable, seconds } from './format'
import { check } from './options'
import { Profile, TopRow } from './profile'
import { RowLink, allLongest } from './rowlink'
import { useWidth } from './size'
import { timesOf } from './threadtimes'

export interface SummaryProps {
  doc: Doc; filter: Filter; profile: Profile; rows: TopRow[]
  onPage(page: string): void
  onMethod(row: number): void
  onRow(part: string, link: RowLink): void
  onAll(): void                 // the complete recording with all threads
  onType(option: string): void
  onToggle(flag: BooleanFlag): void
}

const mostFindings = 4, mostRoutes = 5

/** What the threads did: their number, how many of them worked, and times in ns. */
interface Activity { threads: number; worked: number; work: number; waiting: number; blocked: number; stopped: number; observed: number }

/** Returns what the threads did, null if no sample knows it. */
function activityOf(doc: Doc): Activity | null {
  const { lines, threads, allThreads } = doc.head, list = lines && doc.samples.has('wall') ? timesOf(doc, threads.map(() => true), { from: -Infinity, to: Infinity }) : []
  const of: Activity = { threads: Math.max(allThreads ?? 0, list.length), worked: 0, work: 0, waiting: 0, blocked: 0, stopped: 0, observed: 0 }
  const kinds: Record<string, 'work' | 'waiting' | 'blocked' | 'stopped'> = { running: 'work', native: 'work', spinning: 'work', waiting: 'waiting', idle: 'waiting', blocked: 'blocked', stopped: 'stopped' }
  for (const { spent } of list) {
    const before = of.work
    spent.forEach((v, i) => {
      const kind = kinds[lines!.states[i]]
      if (kind) of[kind] += v
      if (lines!.states[i] !== 'not sampled') of.observed += v
    })
    if (of.work > before) of.worked++
  }
  return of.observed > 0 ? of : null
}

const number = (list: Report[] | undefined, key: string): number => (list ?? []).reduce((n, r) => n + Number(r.totals?.[key] ?? 0), 0)

export function Summary({ doc, filter, profile, rows, onPage, onMethod, onRow, onAll, onType, onToggle }: SummaryProps) {
  const { head } = doc, { parts } = head, reports = head.partNames.map(part => [part, parts[part]] as const), did = useMemo(() => activityOf(doc), [doc])
  const longest = useMemo(() => allLongest(doc), [doc]), exceptions = useMemo(() => exceptionsOf(doc), [doc]), routes = useMemo(() => routesOf(doc), [doc])
  const missing = reports.filter(([, list]) => isEmpty(list)), has = reports.filter(([part, list]) => part !== 'trace' && !isEmpty(list)).map(([part]) => part), truncated = number(parts.trace, 'truncatedStacks')
  const figure = (name: string, text: ComponentChildren, page: string) => <span class="figure">{name} <button onClick={() => page ? onPage(page) : onAll()}>{text}</button></span>
  const samples = head.types.filter(t => !t.of), right = useRef<HTMLElement>(null), characters = Math.max(12, Math.floor((useWidth(right) - 160) / 7)), several = (parts.requests ?? []).length > 1
  return <div class="summary">
    <section aria-label="What the process did">
      <p class="lead">{seconds(head.endNs - head.startNs, 2)}: {did ? `${did.worked} of ${counted(did.threads, 'thread')} worked; those with samples were idle or waiting for ${percent(did.waiting, did.observed)} of their time`
        : head.heap ? 'a dump of the heap' : `no samples of threads${has.length > 0 ? '; it has ' + has.join(', ') : ''}`}{head.heap && <span> {button('What keeps the memory', () => onPage('heap'))}</span>}</p>
      <p class="figures">
        {did && [figure('work', amount(did.work, 'nanoseconds'), ''), figure('waiting', percent(did.waiting, did.observed), 'threads'), figure('blocked', percent(did.blocked, did.observed), 'locks'), figure('stopped by GC', percent(did.stopped, did.observed), 'gc')]}
        {!isEmpty(parts.gc ?? []) && figure('GC pauses', amount(number(parts.gc, 'pauseNs'), 'nanoseconds'), 'gc')}
        {figure('lost events', grouped(Number(head.lostEvents)), 'trace')}
        {truncated > 0 && figure('truncated stacks', grouped(truncated), 'trace')}
        {figure('threads', grouped(head.allThreads ?? head.threads.length), 'threads')}
        {samples.map(t => <span class="figure">{t.name} <button onClick={() => onType(t.option)}>{counted(t.offsets![t.offsets!.length - 1], 'sample')}</button></span>)}</p>
    </section>
    <section aria-label="Findings">
      <h2>Findings</h2>
      {head.findings.length === 0 && <p>No finding: the rules of nettrace report see nothing unusual.</p>}
      <Findings list={head.findings.slice(0, mostFindings)} onPage={onPage} />
      {head.findings.length > mostFindings && <Folded title={counted(head.findings.length - mostFindings, 'more finding')} content={() => <Findings list={head.findings.slice(mostFindings)} onPage={onPage} />} />}
      {longest.length > 0 && <h2>Longest and most</h2>}
      {longest.map(({ part, text, why, link }) => <p class="longest">{button(text, () => onRow(part, link))}<span class="muted" title={why}>{why}</span></p>)}
      {missing.length > 0 && <div class="folded"><Folded title={'Not recorded, or did not happen: ' + missing.map(([part]) => part).join(', ')}
        content={() => <dl class="missing">{missing.map(([part, list]) => fact(button(part, () => onPage(part)), list[0].notRecorded.map(n => <p>{printable(n.what)}: <code>{printable(n.command)}</code></p>)))}</dl>} /></div>}
    </section>
    <section aria-label="Trace" ref={right}>
      {profile.type ? <div><h2>Top 5 methods ({profile.type.name}) {check('just-my-code', filter['just-my-code'], () => onToggle('just-my-code'))}</h2>
        <ol class="methods">{rows.slice(0, 5).map(r => <li><button title={printable(r.name)} onClick={() => onMethod(r.row)}>{printable(fit(r.name, characters))}</button>
          <span>{amount(r.self, profile.type!.unit)}</span><span>{percent(r.self, profile.sum)}</span></li>)}</ol></div>
        : <p class="muted">{printable(head.why[filter.type || 'wall'] ?? 'The trace has no samples.')}</p>}
      {routes.length > 0 && <div><h2>Requests by route</h2><ol class="methods routes"><li class="muted"><span>route</span><span>count</span><span>p50</span><span>p95</span><span>errors</span></li>
        {routes.slice(0, mostRoutes).map(r => <li>{button(printable(middle(`${r.method ?? ''} ${r.route ?? ''}`.trim() + (several ? ` (${r.processId})` : ''), characters - 12)), () => onPage('requests'))}<span>{grouped(Number(r.count))}</span>
          {['p50Ns', 'p95Ns'].map(p => <span>{amount(Number((r.durations as Row | undefined)?.[p] ?? 0), 'nanoseconds')}</span>)}<span>{r.errors === undefined ? '' : grouped(Number(r.errors))}</span></li>)}</ol>
        {routes.length > mostRoutes && <p class="muted">{counted(routes.length - mostRoutes, 'more route')}</p>}</div>}
      {exceptions.length > 0 && <div><h2>Exceptions</h2><ol class="methods">{exceptions.map(([type, throws, row]) => <li>
        <button title={printable(type)} onClick={() => onRow('exceptions', row)}>{printable(fit(type, characters))}</button><span>{grouped(throws)}</span></li>)}</ol></div>}
      <h2>Trace</h2>
      <dl class="facts">
        {fact('process', printable(head.process) + (head.pid ? ` (${head.pid})` : ''))}
        {head.command && fact('command line', <span class="one" title={printable(head.command)}>{printable(head.command)}</span>)}
        {fact('begins', printable(head.syncTime))}
        {head.intervalNs > 0 && fact('sampled every', amount(head.intervalNs, 'nanoseconds'))}
        {head.joins === 'physical' ? fact('stacks', 'those of threads, as recorded (--physical)') : head.joined && fact('stacks', head.joined)}
        {head.leftOut.length > 0 && fact('left out', head.leftOut.join(', '))}
        {fact('shown by', head.tool)}
      </dl>
    </section>
  </div>
}

/** Returns the routes of incoming requests, those that took most time first. */
function routesOf(doc: Doc): Row[] {
  const time = (r: Row) => Number((r.durations as Row | undefined)?.totalNs ?? 0)
  return (doc.head.parts.requests ?? []).flatMap(r => ((r.totals?.routes ?? []) as Row[]).map((route): Row => ({ ...route, processId: r.processId }))).filter(r => r.direction === 'incoming').sort((a, b) => time(b) - time(a))
}

/** Returns the five types of exceptions with the most throws: the type, its throws and the link to its row with the most. */
function exceptionsOf(doc: Doc): [string, number, RowLink][] {
  const types = new Map<string, { throws: number; most: number; link: RowLink }>()
  for (const [i, r] of (doc.head.parts.exceptions ?? []).entries()) {
    for (const [k, row] of (r.rows ?? []).entries()) {
      const type = String(row.type), throws = Number(row.throws), old = types.get(type), from = Number(row.firstNs)
      const link = old && old.most >= throws ? old.link : { range: { from, to: Math.max(Number(row.lastNs), from) + 1 }, threads: [], row: `exceptions.${i}.${k}` }
      types.set(type, { throws: (old?.throws ?? 0) + throws, most: Math.max(old?.most ?? 0, throws), link })
    }
  }
  return [...types].map(([type, of]): [string, number, RowLink] => [type, of.throws, of.link]).sort((a, b) => b[1] - a[1]).slice(0, 5)
}
