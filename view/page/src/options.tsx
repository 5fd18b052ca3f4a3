// The options above the pages: check boxes, lists and buttons.
import { ComponentChildren, h } from 'preact'
import { BooleanFlag, Filter } from './filter'

const flags: BooleanFlag[] = ['just-my-code', 'fold-recursion', 'runtime-helpers']

export interface OptionsProps { filter: Filter; children?: ComponentChildren; onToggle(f: BooleanFlag): void }

/** The flags that have a check box, beside what a page adds. */
export function Options({ filter, children, onToggle }: OptionsProps) {
  return <div class="options" role="group" aria-label="Options">{children}
    {flags.map(f => check(f, filter[f], () => onToggle(f)))}</div>
}

/** Buttons of which one is pressed. */
export function Choice({ label, values, value, onChange }: { label: string; values: [string, string][]; value: string; onChange(v: string): void }) {
  return <div class="choice" role="group" aria-label={label}>{values.map(([v, text]) => <button aria-pressed={v === value} onClick={() => onChange(v)}>{text}</button>)}</div>
}

/** Returns a list of values of which one is chosen. */
export const choose = (label: string, value: string, values: readonly string[], onChange: (v: string) => void, unit = '') =>
  <label>{label} <select value={value} onChange={e => onChange(e.currentTarget.value)}>{values.map(v => <option value={v}>{v}{unit}</option>)}</select></label>

/** Returns a check box. */
export const check = (label: string, on: boolean, onChange: (on: boolean) => void) =>
  <label><input type="checkbox" checked={on} onChange={e => onChange(e.currentTarget.checked)} />{label}</label>
