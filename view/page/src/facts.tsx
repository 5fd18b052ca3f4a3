// Facts: names, and what they are; some are buttons that show more.
import { ComponentChildren, h } from 'preact'
import { amount, percent } from './format'

/** Returns a line of a list of facts; its title is the exact value. */
export const fact = (name: ComponentChildren, value: ComponentChildren, exact?: string) => [<dt>{name}</dt>, <dd title={exact}>{value}</dd>]

/** Returns a button with a text. */
export const button = (text: string, onClick: () => void) => <button onClick={onClick}>{text}</button>

/** Returns a line with a value, and its part of a whole if there is one. */
export const valueFact = (name: string, value: number, unit = '', whole?: number) =>
  fact(name, [amount(value, unit), ' ', whole !== undefined && <span class="muted">{percent(value, whole)}</span>], String(value))
