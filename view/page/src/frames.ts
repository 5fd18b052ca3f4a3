// Trees of frames: what the flags --hide, --only, --just-my-code, --group and
// --fold-recursion make of the tree of the document.
import { Doc, framework, synthesized } from './data'
import { Filter, alternatives } from './filter'

/** A tree whose nodes are numbered from the root: a node comes after its parent. */
export interface Tree {
  parent: Int32Array      // -1 for the root
  row: Int32Array         // of a node: index in names and modules; -1 for the root
  names: string[]
  modules: string[]
  outermost: Uint8Array   // 1: no ancestor has the same row
  of: Int32Array          // node of this tree for a node of the document
}

/** Builds a tree of nodes and keys. */
class Builder {
  parent: number[] = [-1]
  key: number[] = [-1]
  private known = new Map<number, number>()
  child(parent: number, key: number): number {
    const id = parent * 0x200000 + key + 1  // exact below 2^53
    let node = this.known.get(id)
    if (node === undefined) {
      node = this.parent.length
      this.parent.push(parent)
      this.key.push(key)
      this.known.set(id, node)
    }
    return node
  }
}

/** Numbers texts. */
class Texts {
  list: string[] = []
  private known = new Map<string, number>()
  of(text: string): number {
    let at = this.known.get(text)
    if (at === undefined) this.known.set(text, at = this.list.push(text) - 1)
    return at
  }
}

const separator = '\u0000'

/** Returns the names of a function's group, for --group. */
function groupOf(doc: Doc, group: string, f: number): string {
  const module = doc.head.modules[doc.module[f]]
  switch (group) {
    case 'namespace': return doc.head.namespaces[doc.namespace[f]]
    case 'assembly': return doc.head.assemblies[doc.assembly[f]]
  }
  return module || '(unknown)'
}

/** Returns the tree for a filter. */
export function buildTree(doc: Doc, filter: Filter): Tree {
  const rows = new Texts(), keys = new Int32Array(doc.name.length), rowOf: number[] = [], hidden = hiddenFunctions(doc, filter)
  const keyTexts = new Texts()
  for (let f = 0; f < keys.length; f++) {
    const grouped = filter.group && !(doc.flags[f] & synthesized)
    const row = grouped ? groupOf(doc, filter.group, f) + separator : doc.head.names[doc.name[f]] + separator + doc.head.modules[doc.module[f]]
    // Folding compares functions, not their names.
    keys[f] = keyTexts.of(grouped || !filter['fold-recursion'] ? row : row + separator + f)
    rowOf[keys[f]] = rows.of(row)
  }
  const none = keyTexts.of(doc.head.hidden + separator)
  rowOf[none] = rows.of(doc.head.hidden + separator)
  const first = new Builder(), of = new Int32Array(doc.parent.length)
  for (let node = 1; node < of.length; node++) {
    const parent = of[doc.parent[node]], f = doc.func[node]
    if (hidden[f] || filter.group && parent > 0 && first.key[parent] === keys[f]) of[node] = parent
    else if (filter['fold-recursion']) of[node] = fold(first, first.child(parent, keys[f]))
    else of[node] = first.child(parent, keys[f])
  }
  if (of.indexOf(0, 1) > 0) {
    const empty = first.child(0, none)
    for (let node = 1; node < of.length; node++) if (of[node] === 0) of[node] = empty
  }
  return mergeRows(first, of, rowOf, rows.list)
}

/** Returns for each function whether its frames are hidden. */
function hiddenFunctions(doc: Doc, filter: Filter): Uint8Array {
  const hidden = new Uint8Array(doc.name.length)
  const hide = matches(doc, filter.hide), only = matches(doc, filter.only)
  for (let f = 0; f < hidden.length; f++) {
    if (doc.flags[f] & synthesized) continue
    if (hide?.[f] || only && !only[f] || filter['just-my-code'] && doc.flags[f] & framework) hidden[f] = 1
  }
  return hidden
}

/** Returns for each function whether one of the regular expressions matches one of its names; null without expressions. */
export function matches(doc: Doc, values: string[]): Uint8Array | null {
  const expression = alternatives(values)
  if (!expression) return null
  const found = new Uint8Array(doc.name.length), names = doc.head.names
  for (let f = 0; f < found.length; f++) {
    if (expression.test(names[doc.name[f]]) || expression.test(names[doc.name[f] + 1])) found[f] = 1
  }
  return found
}

const longestPeriod = 32

/** Returns the node of a path without a repetition at its end. */
function fold(tree: Builder, node: number): number {
  const keys: number[] = []
  for (let at = node; at > 0 && keys.length < 2 * longestPeriod; at = tree.parent[at]) keys.push(tree.key[at])
  for (let period = 1; period <= longestPeriod && 2 * period <= keys.length; period++) {
    let same = true
    for (let i = 0; i < period && same; i++) same = keys[i] === keys[i + period]
    if (same) {
      for (let i = 0; i < period; i++) node = tree.parent[node]
      return node
    }
  }
  return node
}

/** Merges the nodes whose rows are the same: functions with equal names. */
function mergeRows(first: Builder, of: Int32Array, rowOf: number[], rows: string[]): Tree {
  const second = new Builder(), at = new Int32Array(first.parent.length)
  for (let node = 1; node < at.length; node++) at[node] = second.child(at[first.parent[node]], rowOf[first.key[node]])
  for (let node = 1; node < of.length; node++) of[node] = at[of[node]]
  const parent = Int32Array.from(second.parent), row = Int32Array.from(second.key)
  const names = rows.map(r => r.split(separator)[0]), modules = rows.map(r => r.split(separator)[1])
  return { parent, row, names, modules, of, outermost: outermost(parent, row, rows.length) }
}

/** Returns for each node whether no ancestor has its row. */
export function outermost(parent: Int32Array, row: Int32Array, rows: number): Uint8Array {
  const { child, next } = children(parent), found = new Uint8Array(parent.length), open = new Uint8Array(rows)
  for (let node = 0; ;) {
    if (child[node] > 0) {
      const down = child[node]
      child[node] = next[down]
      node = down
      if (!open[row[node]]) found[node] = open[row[node]] = 1
      continue
    }
    if (node === 0) return found
    if (found[node]) open[row[node]] = 0
    node = parent[node]
  }
}

/** Returns the first child and the next sibling of each node, 0 for none. */
export function children(parent: Int32Array): { child: Int32Array; next: Int32Array } {
  const child = new Int32Array(parent.length), next = new Int32Array(parent.length)
  for (let node = parent.length - 1; node > 0; node--) {
    next[node] = child[parent[node]]
    child[parent[node]] = node
  }
  return { child, next }
}
