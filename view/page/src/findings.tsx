// Findings of a part.
import { h } from 'preact'
import { Finding } from './data'
import { printable } from './format'

export const severityMarks: Record<string, string> = { high: '!', medium: '!', low: 'i' }

export function Findings({ list }: { list: Finding[] }) {
  return list.length === 0 ? null : <ul class="findings">{list.map(f => <li class={f.severity}>
    <span class="severity" aria-label={f.severity} role="img">{severityMarks[f.severity]}</span><div><p>{printable(f.text)}</p><p class="muted">{printable(f.advice)}</p></div></li>)}</ul>
}
