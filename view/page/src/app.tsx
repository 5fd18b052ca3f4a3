// The page: navigation, filter, timeline, one of the pages, details and command.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Address, formatAddress, parseAddress, profilePages } from './address'
import { Actions } from './actions'
import { Around, aroundOf } from './around'
import { leafUp, rootDown } from './boxes'
import { byKeys, byOf, onlyRow, rowsBy } from './by'
import { CommandBar, FilterBar } from './bar'
import { CallTree } from './calltree'
import { copyText } from './clipboard'
import { Compare } from './compare'
import { ColorMode, colorModes } from './colors'
import { Counters } from './counters'
import { Doc, Row, isEmpty } from './data'
import { Details, sentence } from './details'
import { useOther } from './diff'
import { ChangedFlame, Changes, Compared } from './diffview'
import { eventFlags, eventsOf, moreEventFlags } from './events'
import { EventsPage } from './eventspage'
import { CommandWords, Filter, Flag, FrameFlag, alternatives, command, exactly, flags, inModule, noFilter, onlyFlags, pairs, searchOf, withValue } from './filter'
import { Export } from './export'
import { Flame } from './flame'
import { counted, grouped, messageOf, printable, seconds, within } from './format'
import { heapFlags, outer } from './heap'
import { HeapPage } from './heappage'
import { Help } from './help'
import { shortcut } from './keys'
import { listen } from './listen'
import { Bands, LiveControls, Served, liveCommand, useNeeded, withRange } from './live'
import { Menu, MenuAt } from './menu'
import { Choice, Options, choose } from './options'
import { problemsOf } from './problems'
import { Profile, Range, profileOf, selectedThreads, topRows } from './profile'
import { ReportPage } from './report'
import { RowLink, rowOfMark } from './rowlink'
import { culprit, documentNode, nodeOf, nodesWith, placeOf, stackText, waitingOf, widest } from './selection'
import { useSizes } from './splitter'
import { enclosing, firstFilter, settled, useStacks } from './stacks'
import { Summary } from './summary'
import { switchTheme, useTheme } from './theme'
import { durationText } from './time'
import { TimeAxis } from './timeaxis'
import { Timeline } from './timeline'
import { threadOf, timeOrder } from './timeorder'
import { zoomOf } from './zoom'
import { Top } from './top'

/** Flags that threadtime has. */
const threadFlags: Flag[] = ['from', 'to', 'thread', 'process']

/** What a narrow navigation shows above a label. */
const icons: Record<string, string> = {
  summary: '☰', flame: '▙', top: '≡', tree: '├', time: '▥', gc: '↻', alloc: '▣', jit: 'λ', threads: '‖', locks: '⊠', waits: '◷', exceptions: '△', requests: '⇄', trace: '◫', counters: '∿', heap: '▦', events: '⋮',
}

const titles: Record<string, string> = { summary: 'Summary', events: 'Events', ...Object.fromEntries(profilePages) }

/** Returns the address of the page. */
function readAddress(doc: Doc): Address {
  const a = parseAddress(location.hash)
  return settled(doc, a, a)
}

export function App({ doc: main, served }: { doc: Doc; served?: Served }) {
  const [address, setAddress] = useState(() => readAddress(main))
  const { page, filter, more } = address, events = useMemo(() => eventsOf(main), [main]), stacks = useStacks(main, events, address)
  const doc = stacks.doc ?? main, { head } = doc
  const [hover, setHover] = useState(''), [nav, setNav] = useState(false), [chosen, setChosen] = useState<Doc | null>(null), [trouble, setTrouble] = useState(''), [help, setHelp] = useState(false), [menu, setMenu] = useState<MenuAt | null>(null), [drawer, setDrawer] = useState(false)
  const timed = profilePages.some(([p]) => p === page), isReport = head.partNames.includes(page) && page !== 'counters'
  const zoom = useMemo(() => zoomOf(doc, more.zoom), [doc, more.zoom])
  const search = useRef<HTMLInputElement>(null), last = useRef<{ doc: Doc; profile: Profile } | null>(null), cursor = useRef<number | null>(null), recent = useRef({ what: '', at: 0 }), heapHits = useRef<((step: number) => void) | null>(null)
  const problems = problemsOf(main, address).join('; '), [seen, setSeen] = useState('')
  useTheme()
  useEffect(() => listen('popstate', () => setAddress(readAddress(main))), [])
  const go = (next: Partial<Address>, replace = false) => {
    const a = settled(main, address, { ...address, ...next }), text = formatAddress(a)
    history[replace || text === location.hash ? 'replaceState' : 'pushState'](null, '', text)
    setAddress(a)
  }
  /** Changes that follow each other quickly are one entry of the history. */
  const often = (what: string, next: Partial<Address>) => {
    const now = performance.now(), again = recent.current.what === what && now - recent.current.at < 1000
    recent.current = { what, at: now }
    go(next, again)
  }
  const setZoom = (z: Range) => often('zoom', {
    more: { ...more, zoom: z.from <= head.startNs && z.to >= head.endNs ? '' : durationText(Math.max(z.from, head.startNs)) + ',' + durationText(Math.min(z.to, head.endNs)) },
  })
  const setRange = (a: number, b: number) => ({ filter: { ...filter, from: durationText(a), to: durationText(b) } })
  const toRow = (part: string, l: RowLink) => go({
    page: part, filter: { ...filter, ...l.range ? { from: durationText(l.range.from), to: durationText(l.range.to) } : {}, ...l.threads.length ? { thread: l.threads, state: [] } : {} }, more: { ...more, row: l.row },
  })
  const setMore = (key: string, value: string) => go({ more: { ...more, [key]: value } }, true)
  /** Changes keys of the address with an entry of the history; selections that follow each other quickly are one entry. */
  const enter = (keys: Record<string, string>, selects?: boolean) => {
    const next = { more: { ...more, ...keys } }
    if (selects) often('selection', next)
    else go(next)
  }
  const computed = useMemo(() => {
    try {
      return { profile: profileOf(doc, filter), threads: selectedThreads(doc, filter), error: '' }
    } catch (e) {
      return { profile: last.current?.doc === doc ? last.current.profile : profileOf(doc, firstFilter(doc)), threads: head.threads.map(() => true), error: messageOf(e) }
    }
  }, [doc, filter])
  const { profile, threads, error } = computed
  last.current = { doc, profile }
  const whole = useMemo(() => profileOf(doc.moving ? { ...doc, moving: false } : doc, { ...noFilter, type: filter.type, state: filter.state }), [doc, filter.type, filter.state.join()])
  const sort = more.sort === 'total' ? 'total' : 'self', rows = useMemo(() => topRows(profile, head.noFrames, sort), [profile, sort])
  const by = byOf(more.by), rowsOfTop = useMemo(() => page === 'top' ? rowsBy(doc, filter, profile, by, sort) : rows, [page, profile, by, sort])
  const selected = more.method ? profile.tree.names.indexOf(more.method) : -1, selectedRow = rows.find(r => r.row === selected && selected >= 0)
  const [expression, wrongSearch] = useMemo((): [RegExp | null, string] => {
    try {
      return [searchOf(more.q ?? '', more.regex === '1'), '']
    } catch (e) {
      return [null, messageOf(e)]
    }
  }, [more.q, more.regex])
  const foundRows = useMemo(() => expression ? rows.filter(r => r.row >= 0 && expression.test(r.name)) : [], [rows, expression])
  const select = (row: number, node = -1) => enter({ method: row >= 0 ? profile.tree.names[row] : '', at: row >= 0 ? documentNode(profile, node) : '' }, true)
  const frame = nodeOf(profile, more.at), at = frame > 0 && profile.tree.row[frame] === selected ? frame : -1
  const place = useMemo(() => at > 0 ? placeOf(profile, at) : null, [profile, at])
  const marked = useMemo(() => nodesWith(doc, profile, selected), [profile, selected])
  const hottest = page === 'top' && by === 'method' && !selectedRow
  const whose = (row: number) => filter.group === 'module' ? inModule(profile.tree.names[row]) : exactly(profile.tree.names[row])
  const flag = (name: FrameFlag, row = selected) => {
    if (row >= 0) go({ filter: withValue(filter, name, whose(row)) })
  }
  const turn = (v: string) => go({ more: { ...more, up: v, root: '' } }, true)
  const zoomUp = (leaf: string, deep: number, few: number) => enter({ root: deep > 0 || few > 0 ? `${leaf}^${deep}${few ? '~' + few : ''}` : '' })
  const openRow = (name: string, of = by) => {
    const change = onlyRow(doc, of, name, filter)
    if (change) go({ filter: { ...filter, ...change } })
  }
  const around = (side: Around, row = selected) => {
    if (row >= 0) go({ page: 'tree', more: { ...more, callers: '', callees: '', [side]: exactly(profile.tree.names[row]) } })
  }
  const [, rootNode, levelText, smallest] = /^(\d*)(?:\^(\d+))?(?:~(\d+))?/.exec(more.root ?? '')!, up = more.up === '1', levels = up ? Number(levelText ?? 0) : 0
  const root = up === !levelText ? 0 : nodeOf(profile, rootNode)
  const color = colorModes.find(m => m === more.color) ?? 'module', waiting = useMemo(() => color === 'state' ? waitingOf(doc, filter, profile, threads) : new Float64Array(), [profile, color])
  const other = useOther(main, filter, doc, chosen), byValue = more.change === 'value'
  const opened = useMemo(() => new Set((more.open ?? '').split(',').filter(Boolean).map(n => nodeOf(profile, n))), [profile.tree, more.open])
  const flame = useMemo(() => (width: number) => up ? leafUp(profile, { leaf: root, levels, smallest: Number(smallest) || 0 }, opened, width) : rootDown(profile, { node: root, smallest: Number(smallest) || 0 }, opened, width),
    [profile, up, root, levels, smallest, opened])
  const side: Around | '' = more.callers ? 'callers' : more.callees ? 'callees' : ''
  const [beside, wrongSide] = useMemo((): [Profile, string] => {
    try {
      return [side && page === 'tree' ? aroundOf(profile, alternatives([more[side]])!, side) : profile, '']
    } catch (e) {
      return [profile, `--${side}: ${messageOf(e)}`]
    }
  }, [profile, page, side, more.callers, more.callees])
  const shown = useMemo(() => page === 'time' ? threadOf(doc, filter, profile, threads) : -1, [page, profile, threads])
  const visible = clipped(profile.range, zoom.from, zoom.to), order = useMemo(() => (width: number) => timeOrder(doc, filter, profile, shown, visible, width), [profile, shown, zoom])
  const toggle = (f: 'just-my-code' | 'fold-recursion' | 'runtime-helpers') => go({ filter: { ...filter, [f]: !filter[f] } })
  const actions: Actions = {
    search: () => search.current?.focus(), flags: () => document.getElementById('flags')?.focus(), flag, toggle, around, help: () => setHelp(true),
    page: p => {
      go({ page: p })
      requestAnimationFrame(() => document.querySelector<HTMLElement>('#main [tabindex="0"]')?.focus())
    },
    bound: end => {
      const time = cursor.current ?? Math.round((zoom.from + zoom.to) / 2), r = clipped(profile.range, head.startNs, head.endNs)
      go(end === 'from' ? setRange(time, Math.max(r.to, time)) : setRange(Math.min(r.from, time), time))
    },
    group: () => go({ filter: { ...filter, group: filter.group ? '' : 'module' } }), up: () => turn(up ? '' : '1'),
    out: () => {
      if (page === 'tree') enter({ callers: '', callees: '' })
      else if (page === 'time') enter({ zoom: '' })
      else if (page === 'heap') enter({ below: outer(more.below ?? '') })
      else if (up) zoomUp(rootNode, smallest ? levels : levels - 1, 0)
      else enter({ root: smallest ? rootNode : documentNode(profile, root > 0 ? profile.tree.parent[root] : 0) })
    },
    hit: (step: number) => {
      if (page === 'heap') return heapHits.current?.(step)
      if (isReport || page === 'counters') return heapHits.current?.(step)
      const found = foundRows, at = found.findIndex(r => r.row === selected)
      if (found.length > 0) select(found[(at < 0 ? step > 0 ? 0 : found.length - 1 : at + step + found.length) % found.length].row)
    },
    clear: () => drawer ? setDrawer(false) : page === 'heap' ? enter({ row: '' }, true) : select(-1), reset: () => go({ filter: firstFilter(doc), more: {} }), copy: () => copyText(shownCommand), pause: () => served?.state.live && served.pause(), compare: () => document.getElementById('compare')?.click(), export: () => document.getElementById('export')?.focus(),
    zoom: (factor: number, shift: number) => {
      const length = zoom.to - zoom.from, by = within(shift * length, head.startNs - zoom.from, head.endNs - zoom.to)
      const middle = (zoom.from + zoom.to) / 2 + by, half = length / 2 * factor
      if (half > 500) setZoom({ from: Math.round(Math.max(head.startNs, middle - half)), to: Math.round(Math.min(head.endNs, middle + half)) })
    },
  }
  useEffect(() => listen('keydown', e => shortcut(e, actions)))
  const words = commandWords(head.joins, page, more, other?.profile && !more.callers && !more.callees ? other.name : ''), one = page === 'time' && shown >= 0 ? { ...filter, thread: [head.threads[shown].id] } : filter
  const filtered = head.part ? withRange(one, profile.range) : one
  useNeeded(main, filter, served)
  const text = head.live ? liveCommand(words, one, profile.range, served)
    : command(words.words, onlyFlags(more.events && page !== 'events' ? enclosing(doc, one) : filtered, words.flags), words.more, main.head.file)
  const sizes = useSizes()
  const obeyed: readonly Flag[] = timed || page === 'summary' ? flags : page === 'events' ? eventFlags : isReport ? page === 'threads' ? threadFlags : ['from', 'to'] : []
  const shownCommand = page === 'threads' && !head.live ? (doc.line.length.length > 0 ? text + '; ' : '') + command(['report', page], noFilter, [], main.head.file) : text
  const colored = choose('Colour', color, colorModes, v => setMore('color', v))
  const openMenu = (x: number, y: number, row: number, node: number) => setMenu({ x, y, row, node })
  const seat = [page, more.method, more.at ? 'frame' : '', up, smallest, levels, root > 0 ? profile.tree.names[profile.tree.row[root]] : '', JSON.stringify(filter)].join('|')
  const graph = {
    place: seat,
    change: null, doc, profile, selected, at, search: expression, color: color as ColorMode, whole: whole.sum, waiting, onHover: setHover, onSelect: select, onMenu: openMenu,
    onIgnore: (r: number) => flag('ignore', r), onOpen: (n: number) => enter({ open: [...(more.open ?? '').split(',').filter(Boolean), documentNode(profile, n)].join() }),
  }
  const items = ({ row, node }: MenuAt) => {
    const name = profile.tree.names[row], module = profile.tree.modules[row]
    return [
      { label: 'Focus', key: 'f', act: () => flag('focus', row) },
      { label: 'Hide method', key: 'h', act: () => flag('hide', row) },
      { label: 'Hide module', act: module ? () => go({ filter: withValue(filter, 'hide', inModule(module)) }) : null },
      { label: 'Ignore', key: 'i', act: () => flag('ignore', row) },
      { label: 'Only', key: 'o', act: () => flag('only', row) },
      { label: 'Callers', key: 'c', act: () => around('callers', row) },
      { label: 'Callees', key: 'e', act: () => around('callees', row) },
      { label: 'Copy name', act: () => copyText(name) },
      { label: 'Copy stack', act: () => copyText(stackText(profile, node > 0 ? node : widest(profile, row))) },
    ]
  }
  const compared = other && <Compared other={other} up={up && page === 'flame'} flame={page === 'flame'} more={more} onMore={setMore} />
  const pages: Record<string, () => h.JSX.Element> = {
    summary: () => <Summary doc={main} filter={filter} profile={profile} rows={rows} onToggle={toggle} onPage={p => go({ page: p })} onRow={toRow}
      onAll={() => go({ page: 'flame', filter: { ...filter, from: '', to: '', thread: [] } })} onType={type => go({ page: 'top', filter: { ...filter, type, state: [] } })}
      onMethod={r => {
        go({ page: 'top', more: { ...more, method: profile.tree.names[r] } })
        setDrawer(true)
      }} />,
    top: () => <div class="graph"><Options filter={filter} onToggle={toggle}>{compared}{!other?.profile && choose('by', by, byKeys, v => setMore('by', v === 'method' ? '' : v))}</Options>{other?.profile ? <Changes profile={profile} before={other.profile} noFrames={head.noFrames}
      sort={sort} byValue={byValue} selected={more.method ?? ''} onSort={k => setMore('sort', k)} onSelect={name => enter({ method: name }, true)} /> : <Top profile={profile} rows={rowsOfTop} by={by} sort={sort} selected={selected} onSort={k => setMore('sort', k)} onSelect={select}
      onOpen={r => by === 'method' ? flag('focus', r.row) : openRow(r.name)} onMenu={openMenu} />}</div>,
    tree: () => <div class="graph"><Options filter={filter} onToggle={toggle}>
      {side && <Choice label="Calls" value={side} values={[['', 'All calls'], ['callers', 'Callers'], ['callees', 'Callees']]}
        onChange={v => enter({ callers: '', callees: '', ...v ? { [v]: more[side] } : {} })} />}
      {side && <span class="of">{side} of {printable(selected >= 0 && more[side] === exactly(more.method) ? more.method : more[side])}</span>}</Options>
      {wrongSide ? <p class="why" role="alert">{printable(wrongSide)}</p> : <CallTree key={side} profile={beside} side={side} selected={selected} at={side ? -1 : at} onSelect={(row, node) => select(row, side ? -1 : node)} onMenu={openMenu} />}</div>,
    counters: () => <Counters doc={main} />,
    heap: () => <HeapPage doc={main} more={more} search={expression} hits={heapHits} onHover={setHover} onMore={enter} />,
    events: () => <EventsPage doc={main} events={events} filter={filter} more={more} onFilter={(f, m) => go({ filter: f, more: m })}
      onProfile={list => go({ page: 'flame', more: { ...more, root: '', method: '', events: list.join() } })} />,
    flame: () => <div class="graph"><Options filter={filter} onToggle={toggle}>
      <Choice label="Direction" value={up ? '1' : ''} values={[['', 'Root down'], ['1', 'Leaf up']]} onChange={turn} />{compared}</Options>
      {other?.profile && !up ? <ChangedFlame graph={graph} other={other} root={root} layout={flame} byValue={byValue} widths={more.widths ?? ''} onMethod={name => enter({ method: name }, true)}
        onZoom={n => enter({ root: documentNode(profile, n) })} /> : <Flame {...graph} up={up} root={root} label="flame graph" layout={flame}
        levels={levels}
        onZoom={(n, few, deep) => up ? zoomUp(documentNode(profile, n), deep, few) : enter({ root: documentNode(profile, n) + (few ? '~' + few : '') })} />}
      <p class="options">{colored}
        {(root > 0 || smallest) && <button onClick={() => enter({ root: '' })}>Reset zoom</button>}
        {more.open && <button onClick={() => setMore('open', '')}>Fold rows</button>}</p></div>,
    time: () => <div class="graph"><div class="options">{shown < 0 ? 'No samples in the range.' : `Thread ${head.threads[shown].id} ${printable(head.threads[shown].name ?? '')}`}
      <span class="muted">click a thread in the timeline to choose another</span>{colored}</div>
      <TimeAxis range={visible} />
      <Flame {...graph} up={false} root={-1} label="time order" layout={order} onZoom={() => {}}
        onSpan={(a, b) => setZoom({ from: Math.round(visible.from + a * (visible.to - visible.from)), to: Math.round(visible.from + b * (visible.to - visible.from)) })} /></div>,
  }
  // The address can have any name, also that of a member of every object.
  const draw = Object.entries(pages).find(([name]) => name === page)?.[1] ?? (head.partNames.includes(page) ? () => <ReportPage doc={main} part={page} from={profile.range.from} to={profile.range.to} zoom={zoom} filter={filter} search={expression} hits={heapHits} onThread={id => openRow(id, 'thread')}
    row={more.row ?? ''} onRow={l => toRow(page, l)} onSelect={row => enter({ row }, true)} onSamples={change => go({ page: 'flame', filter: { ...noFilter, ...change }, more: { ...more, root: '', at: '', method: '' } })} /> : () => <p class="why">There is no page {printable(page)}.</p>)
  const link = (name: string, label: string, count: string, dim: boolean) => <li><a href={formatAddress({ page: name, filter, more })} class={dim ? 'dim' : ''}
    aria-current={page === name ? 'page' : undefined} data-icon={icons[name]} onClick={e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return
      e.preventDefault()
      setNav(false)
      go({ page: name })
    }}>{label}<span>{count}</span></a></li>
  const total = profile.type ? `${counted(profile.samples, 'sample')} · ` : ''
  return <div class="app" style={sizes}>
    <a class="skip" href="#main" onClick={e => {
      e.preventDefault()
      document.getElementById('main')!.focus()
    }}>Skip to the page</a>
    <nav id="pages" aria-label="Pages" class={nav ? 'open' : ''}><ul>{link('summary', 'Summary', '', false)}</ul><h2>Profile</h2>
      <ul>{profilePages.map(([p, label]) => link(p, label, '', !profile.type))}</ul><h2>Reports</h2>
      <ul>{head.partNames.filter(part => part !== 'counters').map(part => link(part, part, ...badge(main, part)))}
        {link('counters', 'counters', ...badge(main, 'counters'))}
        {link('heap', 'heap', head.heap ? '' : '-', !head.heap)}</ul>
      <ul>{link('events', 'Events', '', !events)}</ul></nav>
    <header><button class="menu-button" aria-expanded={nav} aria-controls="pages" onClick={() => setNav(!nav)}>☰ {printable(titles[page] ?? page)}</button><h1 title={head.tool}>{printable(head.process || head.file)}</h1><span class="file">{printable(head.file)}</span>
      <span class="muted">{seconds(head.endNs - head.startNs, 2)} · {total}{grouped(Number(head.lostEvents))} lost</span>
      <input ref={search} type="search" placeholder="/ Search" aria-label="Search" value={more.q ?? ''} onInput={e => setMore('q', e.currentTarget.value)} onKeyDown={e => e.key === 'Enter' && actions.hit(e.shiftKey ? -1 : 1)} />
      {more.q && <button aria-label="Regular expression" title="Regular expression" aria-pressed={more.regex === '1'} onClick={() => setMore('regex', more.regex === '1' ? '' : '1')}>.*</button>}
      {wrongSearch && <span class="error" role="alert">{printable(wrongSearch)}</span>}
      {expression && timed && <span class="muted" id="hits" role="status">{foundRows.some(r => r.row === selected) && `${grouped(foundRows.findIndex(r => r.row === selected) + 1)} of `}{counted(foundRows.length, 'method')}{hits(profile, expression)}</span>}
      {served && <LiveControls doc={doc} served={served} whole={!!filter.from || !!filter.to} />}
      {timed && <button class="narrow" aria-expanded={drawer} onClick={() => setDrawer(!drawer)}>Details</button>}
      {!head.live && profile.type && <Compare onDoc={other => {
        setChosen(other)
        setTrouble('')
        go({ page: timed ? page : 'top' })
      }} onError={e => setTrouble(messageOf(e))} />}
      {!head.live && profile.type && page !== 'heap' && <Export file={main.head.file} joins={head.joins} filter={more.events ? enclosing(doc, filter) : filter} />}
      <button aria-label="Theme" title="Theme" onClick={switchTheme}>◐</button><button aria-label="Keys and mouse" title="Keys and mouse (?)" onClick={() => setHelp(true)}>?</button></header>
    <div class="bands">
      <Bands doc={doc} served={served} />
      {trouble && <div class="band" role="alert">{printable(trouble)} <button onClick={() => setTrouble('')}>Close</button></div>}
      {other && !timed && page !== 'summary' && <div class="band" role="status">Compared with {printable(other.name)}: only the flame graph and Top show the difference. <button onClick={() => go({ page: 'top' })}>Top</button></div>}
      {problems && problems !== seen && <div class="band" role="status">The address has unknown keys or values: {printable(problems)}. <button onClick={() => setSeen(problems)}>Close</button></div>}
      {(head.error || head.lostEvents !== '0') && <div class="band" role="status">{head.error ? `The trace is malformed or truncated: ${printable(head.error)}. All data before it is shown. ` : ''}
        {head.lostEvents !== '0' ? `${grouped(Number(head.lostEvents))} events were lost${head.lost.length > 0 ? ': ' + head.lost.slice(0, 3).map(l => `${seconds(l.fromNs)} to ${seconds(l.toNs)}`).join(', ') : ''}${head.lost.length > 3 ? `, ${counted(head.lost.length - 3, 'more time')}` : ''} (rule trace-lost-events).` : ''}</div>}
      {main.head.warnings.map(text => <div class="band note" role="status">{printable(text)}</div>)}
    </div>
    {page !== 'heap' && <FilterBar doc={main} filter={filter} obeyed={obeyed} error={error} onFilter={f => go({ filter: f })}
      chosen={more.events ? counted(more.events.split(',').length, 'selected event') : ''} onAll={() => enter({ events: '' })} />}
    {page !== 'summary' && page !== 'heap' && <Timeline doc={doc} main={main} type={profile.type} range={clipped(profile.range, head.startNs, head.endNs)} zoom={zoom} threads={threads} marked={marked} cursor={cursor}
      onZoom={setZoom} onHover={setHover} onRange={(a, b, first) => go(setRange(a, b), !first)} onMark={(part, a, b, sample) => go({ page: part, ...setRange(a, b), ...sample < 0 ? {} : { more: { ...more, row: rowOfMark(main, part, sample) } } })}
      onThread={(id, add) => go({ filter: { ...filter, thread: add ? filter.thread.includes(id) ? filter.thread.filter(t => t !== id) : [...filter.thread, id] : [id] } })} />}
    <main id="main" tabIndex={-1}>{timed && stacks.why ? <p class="why" role="status">{printable(stacks.why)}</p> : timed && !profile.type ? <p class="why">{printable(head.why[filter.type || 'wall'] ?? `The trace has no samples${filter.type ? ' of the type ' + filter.type : ''}.`)}</p>
      : timed && profile.samples === 0 ? <Nothing doc={doc} filter={filter} onFilter={f => go({ filter: f })} onReset={actions.reset} /> : draw()}</main>
    {timed && <Details doc={doc} filter={filter} threads={threads} profile={profile} whole={whole} row={selectedRow ?? (hottest ? rows[0] : undefined)} place={place} marked={hottest && rows[0] ? nodesWith(doc, profile, rows[0].row) : marked} open={drawer} onClose={() => setDrawer(false)}
      own={at > 0 ? profile.total[at] : -1} onFlag={f => flag(f, selectedRow?.row ?? rows[0]?.row)} onAround={s => around(s, selectedRow?.row ?? rows[0]?.row)} onSelect={select} />}
    <div class="status"><span id="hover">{hover}</span><span id="live" class="hidden" aria-live="polite">{selectedRow ? sentence(profile, selectedRow, place, at > 0 ? profile.total[at] : -1) : ''}</span></div>
    <CommandBar text={shownCommand} />
    {menu && <Menu at={menu} title={printable(profile.tree.names[menu.row])} items={items(menu)} onClose={() => setMenu(null)} />}
    {help && <Help onClose={() => setHelp(false)} />}
  </div>
}

/** Returns the number beside the name of a report, and whether its page has nothing: of its rows, of methods that are compiled in batches, of sampled threads. */
function badge({ head }: Doc, part: string): [string, boolean] {
  const list = head.parts[part] ?? [], { starts = [], offsets = [] } = part === 'threads' ? head.lines ?? {} : {}
  const count = starts.filter((_, i) => offsets[i + 1] > offsets[i]).length
    || list.reduce((n, r) => n + (r.rows?.length || Number((r.totals?.tiering as Row | undefined)?.batchMethods ?? 0)), 0)
  const none = isEmpty(list) && !count
  return [none ? '-' : grouped(count), none]
}

const clipped = (r: Range, from: number, to: number): Range => ({ from: Math.max(r.from, from), to: Math.min(r.to, to) })

/** Returns the words of the command for a page, the flags of the filter that it takes, and its other flags. */
function commandWords(joins: string | undefined, page: string, more: Record<string, string>, diff: string): CommandWords {
  const words = wordsOf(page, more, diff)
  return joins && words.words[0] === 'top' ? { ...words, more: ['--' + joins, ...words.more] } : words
}

function wordsOf(page: string, more: Record<string, string>, diff: string): CommandWords {
  const of = (words: string[], flags: readonly Flag[] = [], more: string[] = []) => ({ words, flags, more })
  const sort = more.sort === 'total' ? ['--sort', 'total'] : [], side = more.callers ? 'callers' : more.callees ? 'callees' : ''
  if (diff && ['flame', 'top', 'tree'].includes(page)) return of(['top', '--diff', diff], flags, sort)
  switch (page) {
    case 'summary': return of(['report'])
    case 'counters': return of([page])
    case 'heap': return of([page], [], heapFlags(more).flatMap(([f, v]) => v ? ['--' + f, v] : ['--' + f]))
    case 'flame': return of(['top', more.up === '1' ? '--bottom-up' : '--tree'], flags)
    case 'tree': return of(side ? ['top', '--' + side, more[side]] : ['top', '--tree'], flags)
    case 'time': return of(['top', '--tree'], flags)
    case 'top': return of([page], flags, [...byOf(more.by) === 'method' ? [] : ['--by', more.by], ...sort])
    case 'threads': return of(['threadtime'], threadFlags)
    case 'events': return of([page], eventFlags, moreEventFlags.flatMap(f => more[f] ? ['--' + f, more[f]] : []))
  }
  return of(['report', page])
}

/** Returns the share of the samples through a method that matches. */
function hits(p: Profile, expression: RegExp): string {
  const { tree } = p, hit = tree.names.map(n => expression.test(n)), below = new Uint8Array(tree.parent.length)
  let sum = 0
  for (let node = 1; node < below.length; node++) {
    below[node] = below[tree.parent[node]] || (hit[tree.row[node]] ? 1 : 0)
    if (below[node] && !below[tree.parent[node]]) sum += p.total[node]
  }
  return p.sum > 0 ? `, ${(100 * sum / p.sum).toFixed(1)} % hit` : ''
}

/** Shows why no samples are left, and a button that removes the flag that is the reason. */
function Nothing({ doc, filter, onFilter, onReset }: { doc: Doc; filter: Filter; onFilter(f: Filter): void; onReset(): void }) {
  const flag = useMemo(() => culprit(doc, filter), [doc, filter])
  if (!flag || flag === 'type') return <p class="why">No samples: the filter matches nothing. <button onClick={onReset}>Reset the filter</button></p>
  const values = pairs(filter).filter(([f]) => f === flag).map(([, v]) => printable(v)).join(', ')
  return <p class="why">No samples: <span class="chip">{flag} {values}</span> removes the last ones.{' '}
    <button onClick={() => onFilter({ ...filter, [flag]: noFilter[flag] })}>Remove it</button></p>
}
