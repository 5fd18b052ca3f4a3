// The rows of "nettrace top --by KEY": samples added up by what their methods belong to, or by a property of their own.
import { Doc, Process, Thread } from './data'
import { Filter, exactly, inModule } from './filter'
import { Tree, outermost } from './frames'
import { Profile, TopRow, eachSample, samplesOf, selectedThreads, sortRows, topRows } from './profile'

/** Values of --by. */
export const byKeys = ['method', 'type', 'module', 'thread', 'process', 'source', 'class'] as const
export type By = typeof byKeys[number]

export const byOf = (text: string | undefined): By => byKeys.find(k => k === text) ?? 'method'

/** Returns the name of the type that declares a function, '' without one. */
function typeName(doc: Doc, f: number): string {
  const at = doc.typ[f]
  return at < 0 ? doc.head.otherTypes[-1 - at] : doc.head.names[doc.name[f]].slice(0, at)
}

/** Returns the key of each row of a tree. */
function keysOf(doc: Doc, filter: Filter, tree: Tree, by: 'type' | 'module'): string[] {
  const mark = (name: string) => name.startsWith('[') && !name.startsWith('[stub ')  // such as the mark of a truncated stack
  const keys = tree.names.map((name, i) => tree.modules[i] || (mark(name) ? name : '(unknown)'))
  if (by === 'module' || filter.group) return keys
  const rows = new Map(tree.names.map((name, i) => [name + '\u0000' + tree.modules[i], i]))
  for (let f = 0; f < doc.name.length; f++) {
    const row = rows.get(doc.head.names[doc.name[f]] + '\u0000' + doc.head.modules[doc.module[f]]), name = row === undefined ? '' : typeName(doc, f)
    if (name) keys[row!] = name
  }
  return keys
}

/** Returns a profile whose rows are types or modules. */
function merged(doc: Doc, filter: Filter, p: Profile, by: 'type' | 'module'): Profile {
  const keys = keysOf(doc, filter, p.tree, by), names = [...new Set(keys)], index = new Map(names.map((n, i) => [n, i]))
  const row = p.tree.row.map(r => r < 0 ? -1 : index.get(keys[r])!)
  return { ...p, tree: { ...p.tree, row, names, modules: names.map(() => ''), outermost: outermost(p.tree.parent, row, names.length) } }
}

/** Returns the rows of Top for a value of --by. */
export function rowsBy(doc: Doc, filter: Filter, p: Profile, by: By, sort: 'self' | 'total'): TopRow[] {
  if (by === 'method') return topRows(p, doc.head.noFrames, sort)
  if (by === 'type' || by === 'module') return topRows(merged(doc, filter, p, by), doc.head.noFrames, sort).map(r => ({ ...r, row: -1 }))
  const type = p.type, { head } = doc, threads = selectedThreads(doc, filter), rows = new Map<string, TopRow>()
  if (!type) return []
  const s = samplesOf(doc, type), found = new Set<string>(), processes = new Map(head.processes.map(one => [one.id, one]))
  const each = (add: (i: number, thread: number, value: number) => void) => eachSample(doc, filter, type, p.range, threads, (i, thread, _from, value) => {
    if (p.of[s.node[i]] >= 0) add(i, thread, value)
  })
  if (by === 'thread') each((_i, thread) => found.add(head.threads[thread].process))
  const nameOf: Record<'thread' | 'process' | 'source' | 'class', (i: number, thread: number) => string> = {
    thread: (_i, thread) => {
      const t = head.threads[thread]
      return `${idOf(t, found.size > 1)} ${t.name ?? ''}`.trim()
    },
    process: (_i, thread) => {
      const id = head.threads[thread].process
      return id === '0' ? '(unknown)' : `${id} ${processes.get(id)?.name ?? ''}`.trim()
    },
    source: (_i, thread) => sourceOf(doc, processes.get(head.threads[thread].process)),
    class: i => head.classes[s.class[i] ?? 0] || '(none)',
  }
  each((i, thread, value) => {
    const name = nameOf[by](i, thread)
    let row = rows.get(name)
    if (!row) rows.set(name, row = { name, module: '', self: 0, total: 0, samples: 0, row: -1 })
    row.self += value
    row.total += value
    row.samples++
  })
  return sortRows([...rows.values()], sort)
}

/** Returns the id of a thread, among those of several processes after that of its process. */
export const idOf = (t: Thread, several: boolean): string => (several ? t.process + '/' : '') + t.id

/** Returns the name of the file that the samples of a process come from. */
const sourceOf = (doc: Doc, process: Process | undefined): string => process?.source ?? doc.head.file

/** Returns the change of the filter that shows only the samples of a row; null if no flag selects them. */
export function onlyRow(doc: Doc, by: By, name: string, { focus, type }: Filter): Partial<Filter> | null {
  const { processes } = doc.head, focused = (expression: string) => /^[([]/.test(name) ? null : { focus: [...focus, expression] }
  switch (by) {
    case 'thread': {
      const [, process, thread] = /^(?:(\d+)\/)?(\d+)/.exec(name)!
      return { thread: [thread], ...process && { process: [process] } }
    }
    case 'process': return /^\d/.test(name) ? { process: [name.split(' ')[0]] } : null
    case 'source': return { process: processes.filter(p => sourceOf(doc, p) === name).map(p => p.id) }
    case 'module': return focused(inModule(name))
    case 'type': return focused(exactly(name).replace(/\$$/, '\\.'))
    case 'class': return type === 'alloc' && name !== '(none)' ? { class: [exactly(name)] } : null
  }
  return null
}
