// The page Summary: findings left, facts right.
import { h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Doc, isEmpty } from './data'
import { button, fact } from './facts'
import { Findings } from './findings'
import { amount, counted, fit, grouped, percent, printable, seconds } from './format'
import { Profile, TopRow } from './profile'
import { RowLink, allLongest } from './rowlink'

export interface SummaryProps {
  doc: Doc; option: string; profile: Profile; rows: TopRow[]
  onPage(page: string): void
  onMethod(row: number): void
  onRow(part: string, link: RowLink): void
  onAll(): void                 // the complete recording with all threads
  onType(option: string): void
}

export function Summary({ doc, option, profile, rows, onPage, onMethod, onRow, onAll, onType }: SummaryProps) {
  const { head } = doc, reports = head.partNames.map(part => [part, head.parts[part]] as const)
  const longest = useMemo(() => allLongest(doc), [doc]), exceptions = useMemo(() => exceptionsOf(doc), [doc])
  const stacks = (head.parts.trace ?? []).reduce((n, r) => n + Number(r.totals?.truncatedStacks ?? 0), 0)
  const ofTrace = () => onPage('trace'), missing = reports.filter(([, list]) => isEmpty(list))
  return <div class="summary">
    <section aria-label="Findings">
      <h2>Findings</h2>
      {head.findings.length === 0 && <p>No finding: the rules of nettrace report see nothing unusual.</p>}
      <Findings list={head.findings} onPage={onPage} />
      {missing.length > 0 && <div><h2>No events</h2><dl class="missing">{missing.map(([part, list]) => fact(button(part, () => onPage(part)), list[0].notRecorded.map(n => <p>{printable(n.what)}: <code>{printable(n.command)}</code></p>)))}</dl></div>}
    </section>
    <section aria-label="Trace">
      <h2>Trace</h2>
      <dl class="facts">
        {fact('shown by', head.tool)}
        {fact('file', printable(head.file))}
        {fact('process', printable(head.process) + (head.pid ? ` (${head.pid})` : ''))}
        {head.command && fact('command line', printable(head.command))}
        {fact('begins', printable(head.syncTime))}
        {fact('duration', button(seconds(head.endNs - head.startNs, 2), onAll))}
        {fact('threads', [button(grouped(head.allThreads ?? head.threads.length), onAll), head.allThreads !== undefined && head.allThreads > head.threads.length && ` (${grouped(head.threads.length)} with samples)`])}
        {fact('lost events', button(grouped(Number(head.lostEvents)), ofTrace))}
        {head.intervalNs > 0 && fact('sampled every', amount(head.intervalNs, 'nanoseconds'))}
        {stacks > 0 && fact('truncated stacks', button(grouped(stacks), ofTrace))}
        {head.types.map(t => fact(t.name, button(t.of ? `the part of ${t.of} in managed code` : counted(t.offsets![t.offsets!.length - 1], 'sample'), () => onType(t.option))))}
        {head.joins === 'physical' ? fact('stacks', 'those of threads, as recorded (--physical)') : head.joined && fact('stacks', head.joined)}
        {head.leftOut.length > 0 && fact('left out', head.leftOut.join(', '))}
      </dl>
      {longest.length > 0 && <h2>Longest</h2>}
      {longest.map(({ part, text, link }) => <p class="longest">{button(text, () => onRow(part, link))} {button(part, () => onPage(part))} {factsOf(doc, part, Number(link.row.split('.')[1]))}</p>)}
      {exceptions.length > 0 && <div><h2>Exceptions</h2><ol class="methods">{exceptions.map(([type, throws, row]) => <li>
        <button title={printable(type)} onClick={() => onRow('exceptions', row)}>{printable(fit(type, 42))}</button><span>{grouped(throws)}</span></li>)}</ol></div>}
      {profile.type && <div><h2>Top 5 methods ({profile.type.name})</h2>
        <ol class="methods">{rows.slice(0, 5).map(r => <li><button title={printable(r.name)} onClick={() => onMethod(r.row)}>{printable(fit(r.name, 42))}</button>
          <span>{amount(r.self, profile.type!.unit)}</span><span>{percent(r.self, profile.sum)}</span></li>)}</ol></div>}
      {!profile.type && <p class="why">{printable(head.why[option || 'wall'] ?? 'The trace has no samples.')}</p>}
    </section>
  </div>
}

/** Returns the totals of a part in a few words. */
function factsOf(doc: Doc, part: string, report: number): string {
  const totals = doc.head.parts[part][report].totals ?? {}, of = (v: unknown) => v as Record<string, unknown> | undefined
  const times = of(part === 'gc' ? totals.pauses : of(totals.incoming ?? totals.outgoing)?.durations)
  const parts = typeof times?.count === 'number' ? [grouped(times.count)] : []
  for (const key of ['p50Ns', 'p95Ns', 'p99Ns']) if (typeof times?.[key] === 'number') parts.push(`${key.slice(0, 3)} ${amount(times[key] as number, 'nanoseconds')}`)
  return parts.join(', ')
}

/** Returns the five rows of exceptions with the most throws: their type, throws and link. */
function exceptionsOf(doc: Doc): [string, number, RowLink][] {
  const list = (doc.head.parts.exceptions ?? []).flatMap((r, i) => (r.rows ?? []).map((row, k): [string, number, RowLink] => [
    String(row.type), Number(row.throws), { from: Number(row.firstNs), to: Math.max(Number(row.lastNs), Number(row.firstNs)) + 1, threads: [], row: `exceptions.${i}.${k}` }]))
  return list.sort((a, b) => b[1] - a[1]).slice(0, 5)
}
