// The nodes of one document in the next one of the same process.
import { Doc, Row } from './data'
import { Tree } from './frames'

/** Keys of the address whose values are nodes of the document. */
export const nodeKeys = ['at', 'root', 'open']

/** Identifies a function in each document. */
const nameOf = (doc: Doc, node: number): string => doc.head.names[doc.name[doc.func[node]]] + '\n' + doc.head.modules[doc.module[doc.func[node]]]

/** Returns the functions of a node, the root first. */
export function pathOf(doc: Doc, node: number): string[] {
  const path: string[] = []
  for (let at = node; at > 0 && at < doc.parent.length; at = doc.parent[at]) path.push(nameOf(doc, at))
  return path.reverse()
}

/** Returns the node with a path, 0 if there is none. */
export function nodeAt(doc: Doc, path: string[]): number {
  let at = 0
  for (const name of path) {
    let child = at + 1  // nodes are in preorder: those below a node follow it
    while (child < doc.parent.length && doc.parent[child] >= at && !(doc.parent[child] === at && nameOf(doc, child) === name)) child++
    if (child >= doc.parent.length || doc.parent[child] !== at) return 0
    at = child
  }
  return at
}

/** Returns the nodes of a tree that are the same calls as some nodes of another one; nodes are found below found nodes. */
export function sameCalls(from: Tree, to: Tree, some: Set<number>): Set<number> {
  const key = (t: Tree, node: number) => t.names[t.row[node]] + '\n' + t.modules[t.row[node]], found = new Set([0]), same = new Map([[0, 0]]), calls = new Map<string, number>()
  for (const node of some) if (node > 0) calls.set(from.parent[node] + '\n' + key(from, node), node)
  for (let node = 1; calls.size > 0 && node < to.parent.length; node++) {
    const parent = same.get(to.parent[node]), old = parent === undefined ? undefined : calls.get(parent + '\n' + key(to, node))
    if (old === undefined) continue
    same.set(node, old)
    found.add(node)
  }
  return found
}

/** The values that identify a row of a report, also in a later document. */
const identity = (r: Row | undefined) => r && JSON.stringify(['startNs', 'number', 'method', 'type', 'cause', 'threadId', 'message', 'site', 'thrower', 'catcher'].map(key => r[key]))

/** Returns the value of the key row of the address, PART.REPORT.ROW, in another document. */
export function movedRow(from: Doc, to: Doc, value: string): string {
  const [part, report, row] = value.split('.'), rows = (doc: Doc) => doc.head.parts[part]?.[Number(report)]?.rows ?? [], is = identity(rows(from)[Number(row)])
  const found = is ? rows(to).findIndex(r => identity(r) === is) : -1
  return found < 0 ? '' : `${part}.${report}.${found}`
}

/** Returns the value of a key of the address that has nodes of a document, with those of another one: of "12~3", "12^4" and "12,15" the first numbers, between commas. */
export function movedNodes(from: Doc, to: Doc, value: string): string {
  return value.split(',').map(one => {
    const [, node, rest] = /^(\d*)(.*)$/.exec(one)!, moved = nodeAt(to, pathOf(from, Number(node)))
    return moved > 0 ? moved + rest : ''
  }).filter(Boolean).join(',')
}
