// Tables as text: for the clipboard with tabs, for a file with commas.

/** A table as texts: the keys of its columns, and the cells of its rows. */
export interface TextTable { keys: string[]; rows: string[][] }

/** Returns a cell that no spreadsheet runs as a formula. A number stays. */
const safe = (cell: string): string => /^[=+\-@\t\r]/.test(cell) && !/^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(cell) ? "'" + cell : cell

const lines = ({ keys, rows }: TextTable, cell: (text: string) => string, between: string, end: string) =>
  [keys, ...rows].map(row => row.map(text => cell(safe(text))).join(between) + end).join('')

/** Returns a table with tabs between its cells. */
export const tsv = (t: TextTable): string => lines(t, text => text.replace(/[\t\r\n]+/g, ' '), '\t', '\n')

/** Returns a table as RFC 4180 has it. */
export const csv = (t: TextTable): string => lines(t, text => /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text, ',', '\r\n')
