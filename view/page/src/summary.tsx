// The page Summary: findings left, facts right.
import { ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Doc, isEmpty } from './data'
import { severityMarks } from './findings'
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
  const missing = reports.filter(([, list]) => isEmpty(list))
  return <div class="summary">
    <section aria-label="Findings">
      <h2>Findings</h2>
      {head.findings.length === 0 && <p>No finding: the rules of nettrace report see nothing unusual.</p>}
      <ul class="findings">{head.findings.map(f => <li class={f.severity}>
        <span class="severity" aria-label={f.severity} role="img">{severityMarks[f.severity]}</span>
        <div><p>{printable(f.text)}</p><p class="muted">{printable(f.advice)}</p></div>
        <button onClick={() => onPage(f.part)}>{f.part}</button></li>)}</ul>
      {missing.length > 0 && <div><h2>No events</h2><dl class="missing">{missing.map(([part, list]) => [
        <dt><button onClick={() => onPage(part)}>{part}</button></dt>,
        <dd>{list[0].notRecorded.map(n => <p>{printable(n.what)}: <code>{printable(n.command)}</code></p>)}</dd>])}</dl></div>}
    </section>
    <section aria-label="Trace">
      <h2>Trace</h2>
      <dl class="facts">
        <Fact name="shown by">{head.tool}</Fact>
        <Fact name="file">{printable(head.file)}</Fact>
        <Fact name="process">{printable(head.process)}{head.pid ? ` (${head.pid})` : ''}</Fact>
        {head.command && <Fact name="command line">{printable(head.command)}</Fact>}
        <Fact name="begins">{printable(head.syncTime)}</Fact>
        <Fact name="duration"><button onClick={onAll}>{seconds(head.endNs - head.startNs, 2)}</button></Fact>
        <Fact name="threads"><button onClick={onAll}>{grouped(head.allThreads ?? head.threads.length)}</button>{head.allThreads !== undefined && head.allThreads > head.threads.length && ` (${grouped(head.threads.length)} with samples)`}</Fact>
        <Fact name="lost events"><button onClick={() => onPage('trace')}>{grouped(Number(head.lostEvents))}</button></Fact>
        {head.intervalNs > 0 && <Fact name="sampled every">{amount(head.intervalNs, 'nanoseconds')}</Fact>}
        {stacks > 0 && <Fact name="truncated stacks"><button onClick={() => onPage('trace')}>{grouped(stacks)}</button></Fact>}
        {head.types.map(t => <Fact name={t.name}><button onClick={() => onType(t.option)}>{t.of ? `the part of ${t.of} in managed code` : counted(t.offsets![t.offsets!.length - 1], 'sample')}</button></Fact>)}
        {(head.joined || head.joins === 'physical') && <Fact name="stacks">{head.joins === 'physical' ? 'those of threads, as recorded (--physical)' : head.joined}</Fact>}
        {head.leftOut.length > 0 && <Fact name="left out">{head.leftOut.join(', ')}</Fact>}
      </dl>
      {longest.length > 0 && <h2>Longest</h2>}
      {longest.map(({ part, text, link }) => <p class="longest"><button onClick={() => onRow(part, link)}>{text}</button>
        {' '}<button onClick={() => onPage(part)}>{part}</button> {factsOf(doc, part, Number(link.row.split('.')[1]))}</p>)}
      {exceptions.length > 0 && <div><h2>Exceptions</h2><ol class="methods">{exceptions.map(([type, throws, row]) => <li>
        <button title={printable(type)} onClick={() => onRow('exceptions', row)}>{printable(fit(type, 42))}</button><span>{grouped(throws)}</span></li>)}</ol></div>}
      {profile.type && <div><h2>Top 5 methods ({profile.type.name})</h2>
        <ol class="methods">{rows.slice(0, 5).map(r => <li><button title={printable(r.name)} onClick={() => onMethod(r.row)}>{printable(fit(r.name, 42))}</button>
          <span>{amount(r.self, profile.type!.unit)}</span><span>{percent(r.self, profile.sum)}</span></li>)}</ol></div>}
      {!profile.type && <p class="why">{printable(head.why[option || 'wall'] ?? 'The trace has no samples.')}</p>}
    </section>
  </div>
}

function Fact({ name, children }: { name: string; children?: ComponentChildren }) {
  return [<dt>{name}</dt>, <dd>{children}</dd>] as unknown as ComponentChildren & h.JSX.Element
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
