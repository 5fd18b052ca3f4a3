// The panel about the selected method.
import { ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { Around } from './around'
import { Doc } from './data'
import { fact, valueFact } from './facts'
import { Filter, FrameFlag } from './filter'
import { amount, grouped, percent, printable } from './format'
import { Profile, TopRow } from './profile'
import { placeOf, sharesOf, stackFacts, stackSentences } from './selection'
import { Splitter } from './splitter'

export interface DetailsProps {
  doc: Doc; filter: Filter; threads: boolean[]; profile: Profile; whole: Profile; row: TopRow | undefined
  place: Place | null          // of the selected frame
  own: number                  // its total; -1 without a frame
  marked: Uint8Array | null    // nodes of the document with the method
  open: boolean                // the drawer of a narrow window
  onFlag(flag: FrameFlag): void
  onAround(side: Around): void
  onSelect(row: number): void
  onClose(): void
}

type Place = ReturnType<typeof placeOf>

/** Returns the place of a frame in words. */
const placeText = (place: Place): string => `depth ${place.depth}, ${place.position} of ${place.siblings} siblings`

/** Returns the sentence about a method, and its selected frame, that the live region reads. */
export function sentence(p: Profile, row: TopRow, place: Place | null, own: number): string {
  const unit = p.type?.unit ?? '', frame = place ? `; this frame ${amount(own, unit)}, ${percent(own, p.sum)}, ${placeText(place)}` : ''
  return `${printable(row.name)}: self ${amount(row.self, unit)}, ${percent(row.self, p.sum)}; total ${amount(row.total, unit)}, ${percent(row.total, p.sum)}${frame}`
}

/** Returns callers or callees of a method by value: recursion counts once. */
function neighbours(p: Profile, row: number): { callers: [number, number][]; callees: [number, number][] } {
  const callers = new Map<number, number>(), callees = new Map<number, number>(), { tree } = p
  for (let node = 1; node < tree.parent.length; node++) {
    const parent = tree.parent[node], above = parent > 0 ? tree.row[parent] : -1
    if (tree.row[node] === row && tree.outermost[node]) callers.set(above, (callers.get(above) ?? 0) + p.total[node])
    if (above === row) callees.set(tree.row[node], (callees.get(tree.row[node]) ?? 0) + p.total[node])
  }
  const largest = (m: Map<number, number>) => [...m].filter(([, v]) => v > 0).sort((a, b) => b[1] - a[1]).slice(0, 5)
  return { callers: largest(callers), callees: largest(callees) }
}

export function Details({ doc, filter, threads, profile, whole, row, place, own, marked, open, onFlag, onAround, onSelect, onClose }: DetailsProps) {
  const near = useMemo(() => row && row.row >= 0 ? neighbours(profile, row.row) : null, [profile, row])
  const shares = useMemo(() => row && marked ? sharesOf(doc, filter, profile, threads, marked) : null, [profile, marked])
  const stacks = useMemo(() => row && marked ? stackSentences(stackFacts(doc, filter, profile, threads, marked)) : [], [profile, marked])
  const panel = (content: ComponentChildren) => <aside aria-label="Details" class={open ? 'open' : ''}><Splitter part="details" label="Width of the details" /><div class="content"><h2>Details <button class="narrow" onClick={onClose}>Close</button></h2>{content}</div></aside>
  if (!row) return panel(<p class="muted">Select a method.</p>)
  const unit = profile.type?.unit ?? '', line = (name: string, value: number, of: number) => valueFact(name, value, unit, of)
  const list = (title: string, of: [number, number][]) => of.length > 0 && <div><h3>{title}</h3><ul class="near">{of.map(([r, v]) => <li>
    <button disabled={r < 0} onClick={() => onSelect(r)} title={r < 0 ? '' : printable(profile.tree.names[r])}>{r < 0 ? 'no caller' : printable(profile.tree.names[r])}</button>
    <span>{percent(v, profile.sum)}</span></li>)}</ul></div>
  const bars = (title: string, of: [string, number][]) => of.length > 0 && <div><h3>{title}</h3><ul class="bars">{of.slice(0, 5).map(([name, v]) => <li>
    <span>{printable(name)}</span><span>{percent(v, row.total)}</span><meter value={v} max={row.total || 1} aria-hidden="true" /></li>)}
    {of.length > 5 && <li class="muted">{grouped(of.length - 5)} more</li>}</ul></div>
  return panel(<div>
    <p class="name">{printable(row.name)}</p>
    {row.module && <p class="muted">{printable(row.module)}</p>}
    <dl class="facts">{line('self', row.self, profile.sum)}{line('total', row.total, profile.sum)}{line('of whole trace', row.total, whole.sum)}
      {fact('samples', grouped(row.samples))}
      {place && [line('this frame', own, profile.sum), fact('place', placeText(place))]}</dl>
    <p class="buttons"><button onClick={() => onAround('callers')}>Callers</button><button onClick={() => onAround('callees')}>Callees</button></p>
    <p class="buttons">{(['focus', 'ignore', 'hide', 'only'] as const).map(flag => <button onClick={() => onFlag(flag)}>{flag[0].toUpperCase() + flag.slice(1)}</button>)}</p>
    {near && list('Callers', near.callers)}
    {near && list('Callees', near.callees)}
    {stacks.length > 0 && <div><h3>Stacks</h3>{stacks.map(text => <p>{text}</p>)}</div>}
    {shares && bars('By thread', shares.threads)}
    {shares && bars('By state', shares.states)}
  </div>)
}
