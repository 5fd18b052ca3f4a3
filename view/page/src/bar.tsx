// The bar of filters and the bar with the command.
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { copyText } from './clipboard'
import { Doc } from './data'
import { Filter, Flag, noFilter, pairs, states, typedFlags, without, withValue } from './filter'
import { messageOf, printable } from './format'
import { choose } from './options'

export interface FilterBarProps { doc: Doc; filter: Filter; obeyed: readonly Flag[] /* the flags that the page obeys: it shows no others */; error: string; chosen: string; onFilter(f: Filter): void; onAll(): void }

export function FilterBar({ doc, filter, obeyed, error, chosen, onFilter, onAll }: FilterBarProps) {
  const [flag, setFlag] = useState<Flag | ''>(''), [wrong, setWrong] = useState(''), options = [...new Set([...doc.head.types.map(t => t.option), ...filter.type === 'event' ? ['event'] : []])]
  const more: Flag[] = obeyed.filter(f => f !== 'type'), chips = pairs(filter).filter(([f]) => obeyed.includes(f))
  if (obeyed.length === 0) return null
  return <div class="filters" role="group" aria-label="Filter">
    {options.length > 0 && obeyed.includes('type') && choose('Type', filter.type || options[0], options, type => onFilter({ ...filter, type, state: [] }))}
    {chips.filter(([f]) => f !== 'type').map(([f, v]) => <span class="chip">{f}{v ? ' ' + printable(v) : ''}
      <button aria-label={`Remove ${f} ${printable(v)}`} onClick={() => onFilter(without(filter, f, v))}>×</button></span>)}
    {chosen && <span class="chip">{chosen}<button aria-label={'Remove ' + chosen} onClick={onAll}>×</button></span>}
    <select aria-label="Add a filter" value={flag} onChange={e => {
      const f = e.currentTarget.value as Flag
      if (f && typeof noFilter[f] === 'boolean') onFilter({ ...filter, [f]: true })
      else setFlag(f)
    }}>
      <option value="">+ Filter</option>
      {more.map(f => <option value={f}>{f}</option>)}
    </select>
    {flag && more.includes(flag) && <form onSubmit={e => {
      e.preventDefault()
      const value = (e.currentTarget.elements.namedItem('value') as HTMLInputElement).value
      if (value) onFilter(withValue(filter, flag, value))
      setFlag('')
    }}><input name="value" aria-label={flag} placeholder={flag} list={flag === 'state' ? 'states' : undefined} ref={el => el?.focus()} />
      <datalist id="states">{states.map(s => <option value={s} />)}</datalist></form>}
    <form class="typed" onSubmit={e => {
      e.preventDefault()
      const input = e.currentTarget.elements.namedItem('flags') as HTMLInputElement
      try {
        onFilter(typedFlags(input.value, more).reduce((f, [name, value]) => withValue(f, name, value), filter))
        input.value = ''
        input.blur()
        setWrong('')
      } catch (e) {
        setWrong(messageOf(e))
      }
    }}><input name="flags" id="flags" aria-label="Flags, as on the command line" title="Flags, as on the command line ( : )" placeholder=": from=2s to=2.5s" autocomplete="off" /></form>
    {chips.length > 0 && <button onClick={() => onFilter({ ...noFilter })}>Clear</button>}
    {(wrong || error) && <span class="error" role="alert">{printable(wrong || error)}</span>}
  </div>
}

export function CommandBar({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  return <footer><span>Command:</span><code id="command">{text}</code>
    <button onClick={() => copyText(text).then(() => setCopied(true))}>{copied ? 'copied' : 'copy'}</button></footer>
}
