// The page heap: types, dominators, paths from roots and roots of a heap dump, as "nettrace heap" prints them.
import { ComponentChildren, h } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { rootDown } from './boxes'
import { CallTree } from './calltree'
import { copyText } from './clipboard'
import { Doc } from './data'
import { valueFact } from './facts'
import { Flame } from './flame'
import { amount, byText, counted, grouped, messageOf, nameForms, percent, printable } from './format'
import { FieldRow, HeapAnswer, HeapView, PathRow, RootRow, TypeRow, askHeap, heapFlags, icicleOf, memory, outer, separator, typeIn, viewOf } from './heap'
import { Menu, MenuAt } from './menu'
import { Choice, check, choose } from './options'
import { Column, Table, numbers } from './table'

export interface HeapPageProps {
  doc: Doc; more: Record<string, string>; search: RegExp | null
  onMore(change: Record<string, string>, selects?: boolean): void
  onHover(text: string): void
  hits: { current: ((step: number) => void) | null }  // selects the next or the previous hit of the search
}

/** The keys of the address that choose a view. */
const noView = { paths: '', dominators: '', roots: '', below: '', min: '', row: '', as: '' }

const bytes = (n: number) => amount(n, memory)
const of = <T,>(r: never, key: string): T => (r as Record<string, T>)[key]
const number = (key: string, title: string, unit = ''): Column<never> => numbers(key, title, 84, r => of<number>(r, key), n => amount(n, unit), true)
const share = (key: string): Column<never> => ({ ...numbers<never>(key, '%', 74, r => of(r, key), n => percent(n, 1)), share: r => of(r, key) })
const name = (key: string, title = key, text = (r: never): string => of(r, key)): Column<never> => ({
  key, title, cell: (r, n) => printable(key === 'path' ? text(r) : fitType(text(r), n)), exact: r => printable(text(r)), order: (a, b) => byText(text(a), text(b)),
})

/** Returns the longest form of a type that fits: with its namespaces, or without; the arguments of a generic type are cut last. */
function fitType(name: string, characters: number): string {
  const forms = nameForms(name).filter((form, i) => i === 0 || form.includes('<') || !name.includes('<')), last = forms[forms.length - 1]
  return forms.find(form => form.length <= characters) ?? last.slice(0, characters - 1) + '…'
}

/** The columns of each table, as in the JSON. */
const objects = number('objects', 'objects'), shallow = number('shallowBytes', 'shallow', memory), retained = [number('retainedBytes', 'retained', memory), share('retainedShare')]
const typeColumns = [objects, shallow, share('shallowShare'), ...retained, name('type')] as unknown as Column<TypeRow>[]
const pathColumns = [objects, shallow, name('path', 'path', (r: PathRow) => r.path.join(separator))] as unknown as Column<PathRow>[]
const rootColumns = [number('roots', 'roots'), objects, shallow, ...retained, name('root')] as unknown as Column<RootRow>[]
const fieldColumns = [...retained, name('field', 'static field'), name('type')] as unknown as Column<FieldRow>[]

/** What was asked for, and its answer when it has come. */
interface Asked { of: string; answer: HeapAnswer | null; error: string }

/** Returns the answer to some flags of "nettrace heap"; a later request cancels one that was not answered. */
function useHeap(doc: Doc, flags: [string, string][] | null, wait = 0): Asked {
  const of = JSON.stringify(flags), [asked, set] = useState<Asked>({ of: '', answer: null, error: '' })
  useEffect(() => {
    if (!flags) return
    const end = new AbortController(), timer = setTimeout(() => {
      askHeap(flags, end.signal).then(answer => set({ of, answer, error: answer.error ?? '' }))
        .catch(e => end.signal.aborted || set({ of, answer: null, error: messageOf(e) }))
    }, wait)
    return () => {
      clearTimeout(timer)
      end.abort()
    }
  }, [doc, of])
  return asked.of === of ? asked : { of, answer: null, error: '' }
}

export function HeapPage(props: HeapPageProps) {
  const { doc, more, onMore } = props, view = viewOf(more), none = doc.head.live || !doc.head.heap
  const asked = useHeap(doc, none ? null : heapFlags(more)), { answer } = asked, ok = answer && !answer.error ? answer : null
  const [seen, see] = useState<HeapAnswer | null>(null), known = ok ?? seen, collections = answer?.collections?.length ? answer.collections : known?.collections ?? []
  useEffect(() => {
    if (ok) see(ok)
  }, [ok])
  if (none) {
    return <p class="why">{doc.head.live ? 'A running process is shown without a heap dump.' : 'The trace has no heap dump.'} Record one: <code>nettrace collect -p PID --profile gcdump -o dump.nettrace</code>
      {doc.head.live ? ' and open it with nettrace view.' : ''}</p>
  }
  const chosenType = () => view !== 'roots' && more.row?.startsWith('heap.') ? typeIn(last(more.row.slice(5))) : known?.types?.[0]?.type ?? '*'
  const to = (v: HeapView) => onMore({ ...noView, ...v === 'types' ? {} : { [v]: v === 'paths' ? chosenType() : '1' } })
  return <div class="heap">
    <div class="options" role="group" aria-label="Options">
      <Choice label="View" value={view} values={[['types', 'Types'], ['dominators', 'Dominators'], ['paths', 'Paths'], ['roots', 'Roots']]} onChange={v => to(v as HeapView)} />
      {collections.length > 1 && choose('gc', more.gc || String(known?.dump?.collection ?? collections[collections.length - 1]), collections.map(String), gc => onMore({ gc, below: '', row: '' }))}
      {(more.partial || answer?.incomplete) && check('partial', !!more.partial, on => onMore({ partial: on ? '1' : '' }))}
      {view === 'paths' && <label>paths <input value={more.paths} aria-label="Type or glob" onChange={e => e.currentTarget.value.trim() && onMore({ paths: e.currentTarget.value.trim(), row: '' })} /></label>}
      {view === 'dominators' && <Choice label="Form" value={more.as ?? ''} values={[['', 'Icicle'], ['tree', 'Tree']]} onChange={v => onMore({ as: v })} />}
      {view === 'dominators' && choose('min', more.min || '0.1', [...new Set(['1', '0.1', '0.01', more.min || '1'])], min => onMore({ min }), ' %')}
    </div>
    {ok && <DumpFacts answer={ok} />}
    {asked.error ? <p class="why" role="alert">{printable(asked.error)}{answer?.incomplete && <span> <button onClick={() => onMore({ partial: '1' })}>Show the rest</button></span>}</p>
      : !ok ? <p class="why" role="status">Reading the heap dump…</p> : <View {...props} answer={ok} view={view} />}
  </div>
}

/** Returns the last name of a path. */
const last = (path: string): string => path.slice(path.lastIndexOf(separator) < 0 ? 0 : path.lastIndexOf(separator) + separator.length)

function DumpFacts({ answer: { dump, rowsLeftOut } }: { answer: HeapAnswer }) {
  return <div class="facts-line"><p class="muted">Dump of collection {dump.collection}{dump.process ? ` of process ${dump.process}` : ''}: {counted(dump.objects, 'object')} of {bytes(dump.bytes)},{' '}
    {counted(dump.references, 'reference')}, {counted(dump.roots, 'root')}; made in {amount(dump.durationNs, 'nanoseconds')}.
    {dump.unreachedObjects > 0 && ` Not reached by a root: ${counted(dump.unreachedObjects, 'object')} of ${bytes(dump.unreachedBytes)}.`}
    {dump.unresolved > 0 && ` References and roots to addresses without an object: ${grouped(dump.unresolved)}.`}</p>
    {!dump.complete && <p class="band" role="status">Data of the dump was lost: sizes are too small, and objects seem to be without roots.</p>}
    {rowsLeftOut ? <p class="band" role="status">{counted(rowsLeftOut, 'row')} more {rowsLeftOut === 1 ? 'is' : 'are'} not shown.</p> : null}</div>
}

interface ViewProps extends HeapPageProps { answer: HeapAnswer; view: HeapView }

function View(props: ViewProps) {
  const { answer, more, onMore, search, hits } = props, [sort, setSort] = useState('')
  const rowKey = more.row ?? '', select = (key: string) => onMore({ row: 'heap.' + key }, true)
  const paths = (type: string) => onMore({ ...noView, paths: type })
  const table = <T,>(label: string, all: T[], columns: Column<T>[], key: (r: T) => string, open?: (r: T) => void) => {
    const column = columns.find(c => c.key === sort), found = search ? all.filter(r => search.test(key(r))) : all, rows = column?.order ? [...found].sort(column.order) : found
    hits.current ??= visiting(search ? rows.map(key) : [], rowKey, select)
    return <div class="list">{search && <p class="muted" role="status">{grouped(rows.length)} of {counted(all.length, 'row')} match the search.</p>}
      <Table label={label} columns={columns} rows={rows} sort={sort} onSort={setSort} selected={r => 'heap.' + key(r) === rowKey} onSelect={r => select(key(r))} onOpen={open} /></div>
  }
  hits.current = null
  switch (props.view) {
    case 'types': {
      const keeps = (r: TypeRow) => r.retainedBytes ?? 0, row = answer.types!.find(r => 'heap.' + r.type === rowKey) ?? answer.types!.reduce<TypeRow | undefined>((best, r) => !best || keeps(r) > keeps(best) ? r : best, undefined)
      return <div class="rows">{table('Types', answer.types!, typeColumns, r => r.type, r => paths(r.type))}
        {row && <TypeDetails {...props} row={row} onPaths={() => paths(row.type)} />}</div>
    }
    case 'paths': {
      const row = answer.paths!.find(r => 'heap.' + r.path.join(separator) === rowKey) ?? answer.paths![0]
      return <div class="rows">{table('Paths', answer.paths!, pathColumns, r => r.path.join(separator))}
        {row && <Panel title="Path" name={last(row.path.join(separator))}><dl class="facts">{valueFact('objects', row.objects)}{valueFact('shallow', row.shallowBytes, memory)}</dl><Steps path={row.path} /></Panel>}</div>
    }
    case 'roots': return <div class="two">{table('Roots', answer.roots!, rootColumns, r => r.root)}
      {table('Static fields', answer.staticFields!, fieldColumns, r => r.field + separator + r.type, r => paths(r.type))}</div>
  }
  return <Dominators {...props} onPaths={paths} onSelect={select} />
}

/** Returns a function that selects the next or the previous one of some keys. */
const visiting = (keys: string[], selected: string, select: (key: string) => void) => (step: number) => {
  const at = keys.indexOf(selected.slice(5))
  if (keys.length > 0) select(keys[(at < 0 ? step > 0 ? 0 : keys.length - 1 : at + step + keys.length) % keys.length])
}

const Panel = ({ title, name, children }: { title: string; name: string; children: ComponentChildren }) => <section class="row" aria-label={title}><h2>{title}</h2><p class="name">{printable(name)}</p>{children}</section>

/** The names of a path, from the root on. */
const Steps = ({ path }: { path: string[] }) => <ol class="steps">{path.map(s => <li>{printable(s)}</li>)}</ol>

const preview = 3  // paths beside a type

/** The selected type, with the paths to most of its bytes. */
function TypeDetails({ doc, more, answer, row, onPaths }: ViewProps & { row: TypeRow; onPaths(): void }) {
  const asked = useHeap(doc, heapFlags({ ...more, paths: row.type }), 150), list = asked.answer?.paths
  return <Panel title={more.row ? 'Selected type' : 'Keeps most memory'} name={row.type}>
    <dl class="facts">{valueFact('objects', row.objects, '', answer.dump.objects)}{valueFact('shallow', row.shallowBytes, memory, answer.dump.bytes)}
      {valueFact('retained', row.retainedBytes, memory, answer.dump.bytes)}</dl>
    <p class="buttons"><button onClick={onPaths}>Paths</button><button onClick={() => copyText(row.type)}>Copy name</button></p>
    <h3>Paths from roots</h3>
    {asked.error ? <p class="muted">{printable(asked.error)}</p> : !list ? <p class="muted" role="status">Searching…</p> : list.slice(0, preview).map(p => <div>
      <p class="muted">{counted(p.objects, 'object')}, {bytes(p.shallowBytes)}</p><Steps path={p.path} /></div>)}
    {list && list.length > preview && <p class="muted">{counted(list.length - preview, 'more path')}</p>}
  </Panel>
}

/** The dominators as an icicle, or as its equal twin, a tree. */
function Dominators({ answer, more, search, hits, onMore, onHover, onPaths, onSelect }: ViewProps & { onPaths(type: string): void; onSelect(key: string): void }) {
  const part = more.below ?? '', icicle = useMemo(() => icicleOf(answer, part), [answer, part]), { profile, paths, rest } = icicle, [menu, setMenu] = useState<MenuAt | null>(null)
  const [opened, setOpened] = useState(new Set<number>())
  useEffect(() => setOpened(new Set()), [icicle])
  const layout = useMemo(() => (width: number) => rootDown(profile, { node: icicle.root, smallest: 0 }, opened, width), [icicle, opened])
  const wanted = more.row?.startsWith('heap.') ? more.row.slice(5) : '', at = wanted ? paths.indexOf(wanted) : -1, row = at > 0 ? profile.tree.row[at] : -1
  const zoom = (node: number) => {
    const isRest = profile.tree.row[node] === rest, to = isRest ? profile.tree.parent[node] : node
    if (isRest && to === icicle.root) return onMore({ min: String(Number(more.min || '0.1') / 10) })
    onMore({ below: to === icicle.root ? outer(part) : paths[to] })
  }
  const select = (_row: number, node: number) => node >= 0 && (profile.tree.row[node] === rest ? null : onSelect(paths[node]))
  const type = row >= 0 && profile.self[at] > 0 ? typeIn(profile.tree.names[row]) : ''
  const openMenu = (x: number, y: number, r: number, node: number) => setMenu({ x, y, row: r, node })
  const steps = part ? part.split(separator) : []
  hits.current = visiting(search ? paths.filter((_, i) => i > 0 && profile.tree.row[i] !== rest && search.test(profile.tree.names[profile.tree.row[i]])) : [], more.row ?? '', onSelect)
  return <div class="graph">
    {part && <nav class="crumbs" aria-label="Below"><button onClick={() => onMore({ below: '' })}>all</button>{steps.map((s, i) => <button disabled={i === steps.length - 1}
      onClick={() => onMore({ below: steps.slice(0, i + 1).join(separator) })}>{printable(s)}</button>)}</nav>}
    <div class="rows">
      {more.as === 'tree' ? <CallTree profile={profile} selected={row} at={at} side="" words={{ total: 'retained', self: 'shallow', count: 'objects', name: 'type', unknown: rest }} onSelect={select} onMenu={openMenu} />
        : <Flame doc={null} neutral={icicle.neutral} truncated={new Set([rest])} profile={profile} up={false} root={icicle.root} selected={row} at={at} search={search} label="icicle of dominators" color="module"
          waiting={noWaiting} change={null} layout={layout} onSelect={select} onZoom={zoom} onOpen={n => setOpened(new Set([...opened, n]))} onIgnore={() => {}} onHover={onHover} onMenu={openMenu} />}
      {row >= 0 && <Panel title="Selected row" name={profile.tree.names[row]}>
        <dl class="facts">{valueFact('retained', profile.total[at], memory, profile.sum)}{valueFact('shallow', profile.self[at], memory, profile.sum)}{valueFact('objects', icicle.objects[at])}</dl>
        <p class="buttons"><button onClick={() => zoom(at)}>{at === icicle.root ? 'Zoom out' : 'Zoom'}</button>{type && <button onClick={() => onPaths(type)}>Paths</button>}</p>
        <h3>Kept by</h3><Steps path={paths[at].split(separator)} /></Panel>}
    </div>
    <span class="hidden" aria-live="polite">{row >= 0 ? `${printable(profile.tree.names[row])}: retained ${bytes(profile.total[at])}, ${percent(profile.total[at], profile.sum)}; shallow ${bytes(profile.self[at])}; ${counted(icicle.objects[at], 'object')}` : ''}</span>
    {menu && <Menu at={menu} title={printable(profile.tree.names[menu.row])} onClose={() => setMenu(null)} items={[
      { label: 'Zoom', key: 'Enter', act: () => zoom(menu.node) },
      { label: 'Paths', act: profile.self[menu.node] > 0 && menu.row !== rest ? () => onPaths(typeIn(profile.tree.names[menu.row])) : null },
      { label: 'Copy name', act: menu.row === rest ? null : () => copyText(profile.tree.names[menu.row]) },
      { label: 'Copy path', act: () => copyText(paths[menu.node]) },
    ]} />}
  </div>
}

const noWaiting = new Float64Array()
