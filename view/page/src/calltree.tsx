// The page Call tree: the calls from the root, as "nettrace top --tree".
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Around } from './around'
import { amount, grouped, percent, percentOf, printable, within } from './format'
import { children } from './frames'
import { opensMenu } from './menu'
import { Profile } from './profile'
import { sameCalls } from './samenode'
import { Copies } from './table'

const mostLines = 20_000  // a browser is slow with more rows

/** A row of the tree grid. */
interface Line { node: number; level: number; size: number; position: number; leaf: boolean }

/** Returns the calls from a node that have samples, the greatest first. */
function calls(p: Profile, links: { child: Int32Array; next: Int32Array }, node: number): number[] {
  const list: number[] = []
  for (let at = links.child[node]; at > 0; at = links.next[at]) if (p.all[at] > 0) list.push(at)
  return list.sort((a, b) => p.total[b] - p.total[a] || a - b)
}

/** The titles of the columns of a tree without modules, and the row of which only the total is known. */
export interface TreeWords { total: string; self: string; count: string; name: string; unknown: number }

export interface CallTreeProps {
  profile: Profile; selected: number; at: number; side: Around | ''; words?: TreeWords
  onSelect(row: number, node: number): void
  onMenu(x: number, y: number, row: number, node: number): void
}

/** Returns a node and those above it. */
function withAncestors(p: Profile, node: number): Set<number> {
  const nodes = new Set([0])
  for (; node > 0; node = p.tree.parent[node]) nodes.add(node)
  return nodes
}

/** Returns the title of a column of numbers. */
const number = (text: string, width = 90) => <th class="right" style={{ width: width + 'px' }}>{text}</th>

export function CallTree({ profile, selected, at: frame, side, words, onSelect, onMenu }: CallTreeProps) {
  const links = useMemo(() => children(profile.tree.parent), [profile.tree])
  const [open, setOpen] = useState<{ of: Profile['tree']; nodes: Set<number> }>({ of: profile.tree, nodes: withAncestors(profile, profile.tree.parent[frame] ?? 0) })
  const nodes = useMemo(() => open.of === profile.tree ? open.nodes : new Set([...sameCalls(open.of, profile.tree, open.nodes), ...withAncestors(profile, profile.tree.parent[frame] ?? 0)]), [profile.tree, open])
  const body = useRef<HTMLTableSectionElement>(null)
  const lines = useMemo(() => {
    const list: Line[] = [], stack: Line[] = []
    const push = (node: number, level: number) => {
      const of = calls(profile, links, node)
      for (let i = of.length - 1; i >= 0; i--) stack.push({ node: of[i], level, size: of.length, position: i + 1, leaf: false })
    }
    push(0, 1)
    while (stack.length > 0 && list.length < mostLines) {
      const line = stack.pop()!
      line.leaf = calls(profile, links, line.node).length === 0
      list.push(line)
      if (nodes.has(line.node)) push(line.node, line.level + 1)
    }
    return list
  }, [profile, links, nodes])
  const [last, setAt] = useState(0), unit = profile.type?.unit ?? '', path = useRef<number>(-1)
  const of = lines.findIndex(l => l.node === frame), at = of >= 0 ? of : Math.min(last, Math.max(lines.length - 1, 0))
  useEffect(() => {
    const i = lines.findIndex(l => l.node === path.current)
    path.current = -1
    if (i >= 0) focus(i)
  }, [lines])
  useEffect(() => body.current?.children[at]?.scrollIntoView({ block: 'nearest' }), [])
  const toggle = (node: number, on: boolean) => {
    const next = new Set(nodes)
    if (on) next.add(node)
    else next.delete(node)
    setOpen({ of: profile.tree, nodes: next })
  }
  const hotPath = (node: number) => {
    const next = new Set(nodes)
    for (let list = [node]; list.length > 0; list = calls(profile, links, list[0])) next.add(path.current = list[0])
    setOpen({ of: profile.tree, nodes: next })
  }
  const focus = (i: number) => {
    const line = lines[within(i, 0, lines.length - 1)]
    if (!line) return
    setAt(lines.indexOf(line))
    onSelect(profile.tree.row[line.node], line.node)
    ;(body.current?.children[lines.indexOf(line)] as HTMLElement | undefined)?.focus()
  }
  const onKey = (e: KeyboardEvent) => {
    const line = lines[at]
    if (!line) return
    const actions: Record<string, () => void> = {
      ArrowDown: () => focus(at + 1), ArrowUp: () => focus(at - 1), Home: () => focus(0), End: () => focus(lines.length - 1), '*': () => hotPath(line.node),
      ArrowRight: () => line.leaf ? undefined : nodes.has(line.node) ? focus(at + 1) : toggle(line.node, true),
      ArrowLeft: () => nodes.has(line.node) ? toggle(line.node, false) : focus(lines.findIndex(l => l.node === profile.tree.parent[line.node])),
    }
    if (opensMenu(e)) {
      const r = body.current!.children[at].getBoundingClientRect()
      e.preventDefault()
      focus(at)
      return onMenu(r.left + 200, r.bottom, profile.tree.row[line.node], side ? -1 : line.node)
    }
    if (!actions[e.key]) return
    e.preventDefault()
    e.stopPropagation()
    actions[e.key]()
  }
  const content = async () => ({
    keys: words ? ['depth', 'retainedBytes', 'retainedShare', 'shallowBytes', 'objects', 'name'] : ['level', 'total', 'totalPercent', ...side === 'callers' ? [] : ['self'], 'name', 'module'],
    rows: lines.map(({ node, level }) => {
      const row = profile.tree.row[node], total = profile.total[node]
      if (words) {
        const known = (n: number) => row === words.unknown ? '' : String(n)
        return [String(level - 1), String(total), String(total / (profile.sum || 1)), known(profile.self[node]), known(profile.count[node]), printable(profile.tree.names[row])]
      }
      return [String(level), String(total), percentOf(total, profile.sum), ...side === 'callers' ? [] : [String(profile.self[node])], printable(profile.tree.names[row]), printable(profile.tree.modules[row])]
    }),
  })
  return <div class="tabled"><Copies label={words ? 'Tree' : 'Call tree'} content={content} /><div class="table">
    <table role="treegrid" aria-label={side ? `Call tree: ${side}` : words ? 'Tree' : 'Call tree'} onKeyDown={onKey}>
      <thead><tr>{number(words?.total ?? 'total')}{number(words ? '%' : 'total %', 70)}
        {side !== 'callers' && number(words?.self ?? 'self')}
        {words ? [number(words.count), <th>{words.name}</th>] : [<th>method</th>, <th style={{ width: '22%' }}>module</th>]}</tr></thead>
      <tbody ref={body}>{lines.map((line, i) => {
        const { tree } = profile, row = tree.row[line.node]
        return <tr tabIndex={i === at ? 0 : -1} aria-level={line.level} aria-setsize={line.size} aria-posinset={line.position}
          aria-expanded={line.leaf ? undefined : nodes.has(line.node)} class={frame > 0 && of >= 0 ? i === of ? 'selected' : row === selected ? 'same' : '' : row === selected ? 'selected' : ''} onClick={() => focus(i)}
          onContextMenu={e => {
            e.preventDefault()
            focus(i)
            onMenu(e.clientX, e.clientY, row, side ? -1 : line.node)
          }}
          onDblClick={() => toggle(line.node, !nodes.has(line.node))}>
          <td class="right" title={String(profile.total[line.node])}>{amount(profile.total[line.node], unit)}</td>
          <td class="right share" style={{ '--share': 100 * profile.total[line.node] / (profile.sum || 1) + '%' }}>{percent(profile.total[line.node], profile.sum)}</td>
          {side !== 'callers' && <td class="right" title={words?.unknown === row ? '' : String(profile.self[line.node])}>{words?.unknown === row ? '' : amount(profile.self[line.node], unit)}</td>}
          {words && <td class="right">{words.unknown === row ? '' : grouped(profile.count[line.node])}</td>}
          <td style={{ paddingLeft: 8 + 14 * Math.min(line.level - 1, 40) + 'px' }} title={printable(tree.names[row])}>
            <span class="toggle" onClick={() => toggle(line.node, !nodes.has(line.node))}>{line.leaf ? ' ' : nodes.has(line.node) ? '▾' : '▸'}</span>
            {' '}{printable(tree.names[row])}</td>
          {!words && <td>{printable(tree.modules[row])}</td>}</tr>
      })}</tbody>
    </table>
    {lines.length === mostLines && <p class="why" role="status">Only the first {grouped(mostLines)} rows are shown: close some calls, or focus a method.</p>}
  </div></div>
}
