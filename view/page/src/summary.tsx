// The page Summary: findings left, facts right.
import { ComponentChildren, h } from 'preact'
import { Doc } from './data'
import { severityMarks } from './findings'
import { amount, counted, fit, grouped, percent, printable, seconds } from './format'
import { Profile, TopRow } from './profile'

export interface SummaryProps {
  doc: Doc; profile: Profile; rows: TopRow[]
  onPage(page: string): void
  onMethod(row: number): void
}

export function Summary({ doc, profile, rows, onPage, onMethod }: SummaryProps) {
  const { head } = doc, reports = head.partNames.map(part => [part, head.parts[part]] as const)
  const missing = reports.filter(([, list]) => list.every(r => !r.totals))
  return <div class="summary">
    <section aria-label="Findings">
      <h2>Findings</h2>
      {head.findings.length === 0 && <p>No finding: the rules of nettrace report see nothing unusual.</p>}
      <ul class="findings">{head.findings.map(f => <li class={f.severity}>
        <span class="severity" aria-label={f.severity} role="img">{severityMarks[f.severity]}</span>
        <div><p>{printable(f.text)}</p><p class="muted">{printable(f.advice)}</p></div>
        <button onClick={() => onPage(f.part)}>{f.part}</button></li>)}</ul>
      {missing.length > 0 && <div><h2>Not recorded</h2><dl class="missing">{missing.map(([part, list]) => [
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
        <Fact name="duration">{seconds(head.endNs - head.startNs, 2)}</Fact>
        <Fact name="threads">{grouped(head.threads.length)}</Fact>
        <Fact name="lost events">{grouped(Number(head.lostEvents))}</Fact>
        {head.types.map(t => <Fact name={t.name}>{t.of ? `the part of ${t.of} in managed code` : counted(t.offsets![t.offsets!.length - 1], 'sample')}</Fact>)}
        {head.leftOut.length > 0 && <Fact name="left out">{head.leftOut.join(', ')}</Fact>}
      </dl>
      {profile.type && <div><h2>Top 5 methods ({profile.type.name})</h2>
        <ol class="methods">{rows.slice(0, 5).map(r => <li><button title={printable(r.name)} onClick={() => onMethod(r.row)}>{printable(fit(r.name, 42))}</button>
          <span>{amount(r.self, profile.type!.unit)}</span><span>{percent(r.self, profile.sum)}</span></li>)}</ol></div>}
      {!profile.type && <p class="why">{printable(head.why.wall ?? 'The trace has no samples.')}</p>}
    </section>
  </div>
}

function Fact({ name, children }: { name: string; children?: ComponentChildren }) {
  return [<dt>{name}</dt>, <dd>{children}</dd>] as unknown as ComponentChildren & h.JSX.Element
}
