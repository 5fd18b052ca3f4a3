// Findings: of a part, or of all with a button that opens the part.
import { h } from 'preact'
import { Finding } from './data'
import { button } from './facts'
import { printable } from './format'

const severityMarks: Record<string, string> = { high: '!', medium: '!', low: 'i' }

export function Findings({ list, onPage }: { list: Finding[]; onPage?(part: string): void }) {
  return list.length === 0 ? null : <ul class="findings">{list.map(f => <li class={f.severity}>
    <span class="severity" aria-label={f.severity} role="img">{severityMarks[f.severity]}</span><div><p>{printable(f.text)}</p><p class="muted">{printable(f.advice)}</p></div>
    {onPage && button(f.part, () => onPage(f.part))}</li>)}</ul>
}
