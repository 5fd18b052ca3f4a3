// The options above the profile pages.
import { ComponentChildren, h } from 'preact'
import { ColorMode, colorModes } from './colors'
import { BooleanFlag, Filter } from './filter'

const flags: BooleanFlag[] = ['just-my-code', 'fold-recursion', 'runtime-helpers']

export interface OptionsProps { filter: Filter; children?: ComponentChildren; onToggle(f: BooleanFlag): void }

/** The flags that have a check box, beside what a page adds. */
export function Options({ filter, children, onToggle }: OptionsProps) {
  return <div class="options" role="group" aria-label="Options">{children}
    {flags.map(f => <label><input type="checkbox" checked={filter[f]} onChange={() => onToggle(f)} />{f}</label>)}</div>
}

/** Buttons of which one is pressed. */
export function Choice({ label, values, value, onChange }: { label: string; values: [string, string][]; value: string; onChange(v: string): void }) {
  return <div class="choice" role="group" aria-label={label}>{values.map(([v, text]) => <button aria-pressed={v === value} onClick={() => onChange(v)}>{text}</button>)}</div>
}

export function ColorChoice({ color, onChange }: { color: ColorMode; onChange(v: string): void }) {
  return <label>Colour <select value={color} onChange={e => onChange(e.currentTarget.value)}>{colorModes.map(m => <option value={m}>{m}</option>)}</select></label>
}
