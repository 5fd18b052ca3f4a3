// The nodes of one document in the next one of the same process.
import { Doc } from './data'

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

/** Returns the value of a key of the address that has nodes of a document, with those of another one: of "12~3", "12^4" and "12,15" the first numbers, between commas. */
export function movedNodes(from: Doc, to: Doc, value: string): string {
  return value.split(',').map(one => {
    const [, node, rest] = /^(\d*)(.*)$/.exec(one)!, moved = nodeAt(to, pathOf(from, Number(node)))
    return moved > 0 ? moved + rest : ''
  }).filter(Boolean).join(',')
}
