// The heap dump of a trace: answers with the objects of "nettrace heap --json", from the server or from the report that has them.
import { Tree, outermost } from './frames'
import { Profile } from './profile'
import { embedded, get, gunzip, parsed } from './source'

export interface TypeRow { objects: number; shallowBytes: number; shallowShare: number; retainedBytes: number; retainedShare: number; type: string }
export interface TreeRow { retainedBytes: number; retainedShare: number; shallowBytes: number; objects: number; depth: number; name: string }
export interface PathRow { objects: number; shallowBytes: number; path: string[] }
export interface RootRow { roots: number; objects: number; shallowBytes: number; retainedBytes: number; retainedShare: number; root: string }
export interface FieldRow { retainedBytes: number; retainedShare: number; field: string; type: string }

/** An answer: the dump and the rows of the chosen view, or why there is none. */
export interface HeapAnswer {
  error?: string; incomplete?: boolean
  dump: {
    process: number; collection: number; durationNs: number; complete: boolean; objects: number; bytes: number; references: number; roots: number
    unreachedObjects: number; unreachedBytes: number; unresolved: number
  }
  collections: number[]; rowsLeftOut?: number
  types?: TypeRow[]; dominators?: TreeRow[]; paths?: PathRow[]; roots?: RootRow[]; staticFields?: FieldRow[]
}

/** The unit of sizes, which are printed as "nettrace heap" prints them. */
export const memory = 'bytes in memory'

export type HeapView = 'types' | 'dominators' | 'paths' | 'roots'
type More = Record<string, string>

/** Returns the view that an address chooses. */
export const viewOf = (more: More): HeapView => more.paths !== undefined && more.paths !== '' ? 'paths' : more.dominators ? 'dominators' : more.roots ? 'roots' : 'types'

const mostPaths = '1000', usualMin = '0.1'

/** Returns the flags of "nettrace heap" for an address: a name and a value, '' of a flag without one. */
export function heapFlags(more: More): [string, string][] {
  const list: [string, string][] = [], view = viewOf(more), add = (name: string, value: string | undefined) => value && list.push([name, value])
  if (view === 'types' || view === 'roots') list.push(...view === 'roots' ? [['roots', ''] as [string, string]] : [], ['limit', '0'])
  if (view === 'dominators') {
    list.push(['dominators', ''], ['min', more.min || usualMin])
    add('below', more.below)
  }
  if (view === 'paths') list.push(['paths', more.paths], ['limit', mostPaths])
  add('gc', more.gc)
  if (more.partial) list.push(['partial', ''])
  return list
}

/** The part of a report about the dump. */
interface Kept { types: HeapAnswer; dominators?: HeapAnswer; roots?: HeapAnswer; paths?: Record<string, HeapAnswer> }
let kept: Promise<Kept> | null = null

/** Returns what some flags choose. A report has the last dump only, and the paths of the types that retain most. */
export async function askHeap(flags: [string, string][], signal: AbortSignal): Promise<HeapAnswer> {
  if (!embedded('data')) return (await get('/api/heap?' + new URLSearchParams(flags), signal)).json()
  const data = embedded('heap')
  if (!data) return missing
  const all = await (kept ??= gunzip(data).then(parsed) as Promise<Kept>), chosen = new Map(flags)
  if (all.types.error) return all.types
  if (chosen.has('gc') && Number(chosen.get('gc')) !== all.types.dump.collection) return { ...missing, collections: all.types.collections }
  if (chosen.has('paths')) return Object.entries(all.paths ?? {}).find(([type]) => type === chosen.get('paths'))?.[1] ?? missing
  if (chosen.has('dominators')) {
    const min = Number(chosen.get('min')), path = chosen.get('below') ?? '', rows = below(all.dominators!.dominators!, path)
    if (!rows || min < Number(usualMin)) return { ...missing, collections: all.types.collections }
    const lowest = min / 100 * (path ? rows[0].retainedBytes : all.types.dump.bytes)
    return { ...all.dominators!, dominators: rows.filter(r => r.retainedBytes >= lowest) }
  }
  return chosen.has('roots') ? all.roots! : all.types
}

const missing = { error: 'This file does not have it. Run the command below, or open the trace with nettrace view.', collections: [] as number[] } as HeapAnswer

/** The text between the names of a path. */
export const separator = ' > '

/** Returns the path of the row above one, '' for none. */
export const outer = (path: string): string => path.split(separator).slice(0, -1).join(separator)

/** Returns the path of each row of a tree. */
export function pathsOf(rows: TreeRow[]): string[] {
  const open: string[] = []
  return rows.map(r => {
    open.length = r.depth
    open.push(r.name)
    return open.join(separator)
  })
}

/** Returns the rows of a tree from the one with a path on, null if no row has it. */
function below(rows: TreeRow[], path: string): TreeRow[] | null {
  if (!path) return rows
  const from = pathsOf(rows).indexOf(path)
  if (from < 0) return null
  const end = rows.findIndex((r, i) => i > from && r.depth <= rows[from].depth)
  return rows.slice(from, end < 0 ? rows.length : end).map(r => ({ ...r, depth: r.depth - rows[from].depth }))
}

/** Returns the type in the name of a row, which can have the name of a static field before it. */
export const typeIn = (name: string): string => name.replace(/^\[[^\]]*\] /, '')

/** The name of the rest of a row: rows that --min leaves out. */
export const smaller = 'smaller rows'

/** The dominators as a profile that the flame graph draws. */
export interface Icicle { profile: Profile; paths: string[]; objects: number[]; root: number; rest: number; neutral: Set<string> }

/** Returns the tree of an answer: node 0 has all bytes; the rows of a part of the tree are below node 1. */
export function icicleOf(answer: HeapAnswer, part: string): Icicle {
  const rows = answer.dominators ?? [], parent = [-1], row = [-1], self = [0], total = [answer.dump.bytes], left = [answer.dump.bytes], names: string[] = [], objects = [0]
  const paths = [''], known = new Map<string, number>(), open: number[] = [], of = pathsOf(rows)
  const add = (above: number, name: string, size: number, own: number, path: string, count: number) => {
    let at = known.get(name)
    if (at === undefined) known.set(name, at = names.push(name) - 1)
    left[above] -= size
    left.push(size - own)
    parent.push(above)
    row.push(at)
    self.push(own)
    total.push(size)
    paths.push(path)
    objects.push(count)
    return parent.length - 1
  }
  rows.forEach((r, i) => {
    const above = part.split(separator).slice(0, part ? -1 : 0)
    open[r.depth] = add(r.depth > 0 ? open[r.depth - 1] : 0, r.name, r.retainedBytes, r.shallowBytes, [...above, of[i]].join(separator), r.objects)
  })
  for (let node = part ? 1 : 0, end = parent.length; node < end; node++) if (left[node] > 0) add(node, smaller, left[node], 0, paths[node], 0)
  const n = parent.length, modules = names.map(groupOf), flat = Int32Array.from(parent), rowOf = Int32Array.from(row)
  const tree: Tree = { parent: flat, row: rowOf, names, modules, outermost: outermost(flat, rowOf, names.length), of: Int32Array.from(flat, (_, i) => i) }
  const profile: Profile = {
    type: { name: 'heap', option: 'heap', unit: memory, helperFlag: 0 }, tree, self: Float64Array.from(self), total: Float64Array.from(total), count: Float64Array.from(objects),
    all: new Float64Array(n).fill(1), sum: answer.dump.bytes, samples: answer.dump.objects, range: { from: 0, to: 0 }, of: new Int32Array(0), frames: 'rows',
  }
  return { profile, paths, objects, root: part && n > 1 ? 1 : 0, rest: known.get(smaller) ?? -1, neutral: new Set(modules.filter(m => /^(System|Microsoft|Internal|Interop)?$/.test(m.split('.')[0]))) }
}

/** Returns the namespace of a type, its name if it has none, '' for a kind of root and for types that every program has. */
function groupOf(name: string): string {
  const type = typeIn(name).replace(/[<[].*/, ''), dot = type.lastIndexOf('.')
  return dot > 0 ? type.slice(0, dot) : /^[a-z]/.test(type) ? '' : type
}
