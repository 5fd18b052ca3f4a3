// The difference to an older trace: what "nettrace top --diff" prints.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Doc, decode } from './data'
import { Filter } from './filter'
import { children } from './frames'
import { Profile, TopRow, profileOf, topRows } from './profile'
import { embedded, get } from './source'
import { byText, messageOf } from './format'

/** A row of Top in both traces. */
export interface Change extends TopRow {
  selfBefore: number; totalBefore: number
  share: number; shareBefore: number            // of self in percent of the sum
  totalShare: number; totalShareBefore: number
  errors: number                                // the change of the share of samples by its standard error
}

const unchanged = { selfBefore: 0, totalBefore: 0, share: 0, shareBefore: 0, totalShare: 0, totalShareBefore: 0, errors: 0 }

const share = (part: number, whole: number) => whole === 0 ? 0 : 100 * part / whole

/** Returns a change of a share by its standard error: a of m samples, and b of n. */
function standardErrors(a: number, m: number, b: number, n: number): number {
  if (m === 0 || n === 0) return 0
  const both = (a + b) / (m + n), deviation = Math.sqrt(both * (1 - both) * (1 / m + 1 / n))
  return deviation === 0 ? 0 : (a / m - b / n) / deviation
}

/** Returns the rows of two traces side by side, the greatest changes first: of the share, or of the value. */
export function changes(after: Profile, before: Profile, noFrames: string, sort: 'self' | 'total', byValue: boolean): Change[] {
  const known = new Map<string, Change>(), key = (r: TopRow) => r.name + '\u0000' + r.module
  for (const r of topRows(after, noFrames, sort)) known.set(key(r), { ...r, ...unchanged })
  const samples = new Map<Change, number>()
  for (const r of topRows(before, noFrames, sort)) {
    let c = known.get(key(r))
    if (!c) known.set(key(r), c = { ...r, row: -1, self: 0, total: 0, samples: 0, ...unchanged })
    c.selfBefore = r.self
    c.totalBefore = r.total
    samples.set(c, r.samples)
  }
  const list = [...known.values()]
  for (const c of list) {
    c.share = share(c.self, after.sum)
    c.shareBefore = share(c.selfBefore, before.sum)
    c.totalShare = share(c.total, after.sum)
    c.totalShareBefore = share(c.totalBefore, before.sum)
    c.errors = standardErrors(c.samples, after.samples, samples.get(c) ?? 0, before.samples)
  }
  const of = byValue ? { self: (c: Change) => Math.abs(c.self - c.selfBefore), total: (c: Change) => Math.abs(c.total - c.totalBefore) }
    : { self: (c: Change) => Math.abs(c.share - c.shareBefore), total: (c: Change) => Math.abs(c.totalShare - c.totalShareBefore) }
  const other = sort === 'self' ? 'total' : 'self'
  return list.sort((a, b) => of[sort](b) - of[sort](a) || of[other](b) - of[other](a) || byText(a.name, b.name))
}

/** Returns for each node of a profile the total of the same calls in another one. */
export function totalsOf(p: Profile, other: Profile): Float64Array {
  const found = new Float64Array(p.tree.parent.length), same = new Int32Array(found.length).fill(-1), { child, next } = children(other.tree.parent)
  const rows = new Map(other.tree.names.map((name, i) => [name + '\u0000' + other.tree.modules[i], i])), calls = new Map<number, Map<number, number>>()
  const row = p.tree.names.map((name, i) => rows.get(name + '\u0000' + p.tree.modules[i]) ?? -1)
  same[0] = 0
  found[0] = other.total[0]
  for (let node = 1; node < found.length; node++) {
    const parent = same[p.tree.parent[node]]
    if (parent < 0) continue
    let below = calls.get(parent)
    if (!below) {
      calls.set(parent, below = new Map())
      for (let at = child[parent]; at > 0; at = next[at]) below.set(other.tree.row[at], at)
    }
    same[node] = below.get(row[p.tree.row[node]]) ?? -1
    if (same[node] > 0) found[node] = other.total[same[node]]
  }
  return found
}

/** How much more a node has, from -1 (all of it is gone) to 1 (all of it is new): of the sums, or by value. */
export function change(now: number, nowSum: number, was: number, wasSum: number, byValue: boolean): number {
  const a = byValue ? now : share(now, nowSum), b = byValue ? was : share(was, wasSum)
  return a === b ? 0 : (a - b) / Math.max(a, b)
}

/** The older trace with the filter of the page. */
export interface Other { name: string; doc: Doc | null; profile: Profile | null; why: string }

/** Reads the document of the older trace. */
export async function otherOf(main: Doc): Promise<Doc | null> {
  if (!main.head.diff) return null
  return decode(embedded('other') ?? new Uint8Array(await (await get('/api/other')).arrayBuffer()))
}

/** Returns the older trace: the one that the user chose in the page, or that of the document; null if there is none. */
export function useOther(main: Doc, filter: Filter, shown: Doc, chosen: Doc | null): Other | null {
  const name = chosen?.head.file ?? main.head.diff ?? '', [given, setDoc] = useState<Doc | null>(null), [error, setError] = useState(''), doc = chosen ?? given
  useEffect(() => {
    otherOf(main).then(setDoc).catch(e => setError(messageOf(e)))
  }, [main.head.diff])
  const profile = useMemo(() => {
    try {
      return doc ? profileOf(doc, filter) : null
    } catch {
      return null  // the filter bar has the error
    }
  }, [doc, filter])
  if (!name) return null
  const type = profile && filter.type !== 'event' ? profile.type : null
  const why = shown !== main ? 'events are not compared' : error || (!doc ? 'it is read…' : !type || profile!.samples === 0 ? 'it has no such samples' : '')
  return { name, doc, profile: why ? null : profile, why }
}
