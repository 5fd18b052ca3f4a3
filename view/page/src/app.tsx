// The page: navigation, filter, timeline, one of the pages, details and command.
import { h } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { Address, formatAddress, parseAddress } from './address'
import { leafUp, rootDown } from './boxes'
import { CommandBar, FilterBar } from './bar'
import { CallTree } from './calltree'
import { Counters } from './counters'
import { Doc } from './data'
import { Details, sentence } from './details'
import { Filter, alternatives, command, exactly, noFilter, withValue, workStates } from './filter'
import { Flame } from './flame'
import { counted, grouped, printable, seconds } from './format'
import { shortcut } from './keys'
import { Bands, LiveControls, Served, liveCommand } from './live'
import { Profile, Range, profileOf, selectedThreads, topRows } from './profile'
import { ReportPage } from './report'
import { Summary } from './summary'
import { durationText } from './time'
import { Timeline } from './timeline'
import { threadOf, timeOrder } from './timeorder'
import { useZoom } from './zoom'
import { Top } from './top'

const profilePages: [string, string][] = [['flame', 'Flame graph'], ['top', 'Top'], ['tree', 'Call tree'], ['time', 'Time order']]

/** Returns the filter of a page that has none: the threads that work, as "nettrace top" shows. */
export function firstFilter(doc: Doc): Filter {
  const type = doc.head.types[0]
  return type?.name === 'wall' ? { ...noFilter, type: 'wall', state: [...workStates] } : { ...noFilter, type: type?.option ?? '' }
}

/** Returns the address of the page, with the first filter if it has none. */
function readAddress(doc: Doc): Address {
  const a = parseAddress(location.hash)
  return location.hash.includes('?') || a.filter.type ? a : { ...a, filter: firstFilter(doc) }
}

export function App({ doc, served }: { doc: Doc; served?: Served }) {
  const [address, setAddress] = useState(() => readAddress(doc))
  const { page, filter, more } = address, { head } = doc
  const [hover, setHover] = useState(''), [zoom, setZoom] = useZoom(doc)
  const search = useRef<HTMLInputElement>(null), last = useRef<Profile | null>(null)
  useEffect(() => {
    const back = () => setAddress(readAddress(doc))
    addEventListener('popstate', back)
    return () => removeEventListener('popstate', back)
  }, [])
  const go = (next: Partial<Address>, replace = false) => {
    const a = { ...address, ...next }
    history[replace ? 'replaceState' : 'pushState'](null, '', formatAddress(a))
    setAddress(a)
  }
  const setMore = (key: string, value: string, replace = true) => go({ more: { ...more, [key]: value } }, replace)
  const computed = useMemo(() => {
    try {
      return { profile: profileOf(doc, filter), threads: selectedThreads(doc, filter), error: '' }
    } catch (e) {
      return { profile: last.current ?? profileOf(doc, firstFilter(doc)), threads: head.threads.map(() => true), error: e instanceof Error ? e.message : String(e) }
    }
  }, [doc, filter])
  const { profile, threads, error } = computed
  last.current = profile
  const whole = useMemo(() => profileOf(doc.moving ? { ...doc, moving: false } : doc, { ...noFilter, type: filter.type, state: filter.state }), [doc, filter.type, filter.state.join()])
  const sort = more.sort === 'total' ? 'total' : 'self', rows = useMemo(() => topRows(profile, head.noFrames, sort), [profile, sort])
  const selected = more.method ? profile.tree.names.indexOf(more.method) : -1, selectedRow = rows.find(r => r.row === selected && selected >= 0)
  const expression = useMemo(() => {
    try {
      return more.q ? alternatives([more.q]) : null
    } catch {
      return null
    }
  }, [more.q])
  const select = (row: number) => setMore('method', row >= 0 ? profile.tree.names[row] : '')
  const flag = (name: 'focus' | 'ignore' | 'hide' | 'only', row = selected) => {
    if (row >= 0) go({ filter: withValue(filter, name, exactly(profile.tree.names[row])) })
  }
  const root = Math.min(Number(more.root) || 0, profile.tree.parent.length - 1), up = more.up === '1'
  const flame = useMemo(() => (width: number) => up ? leafUp(profile, width) : rootDown(profile, root, width), [profile, up, root])
  const shown = useMemo(() => page === 'time' ? threadOf(doc, filter, profile, threads) : -1, [page, profile, threads])
  const order = useMemo(() => (width: number) => timeOrder(doc, filter, profile, shown, clipped(profile.range, zoom.from, zoom.to), width), [profile, shown, zoom])
  const toggle = (f: 'just-my-code' | 'fold-recursion' | 'runtime-helpers') => go({ filter: { ...filter, [f]: !filter[f] } })
  const actions = {
    search: () => search.current?.focus(), page: (p: string) => go({ page: p }), flag, toggle,
    group: () => go({ filter: { ...filter, group: filter.group ? '' : 'module' } }), up: () => setMore('up', up ? '' : '1'),
    out: () => setMore('root', root > 0 && profile.tree.parent[root] > 0 ? String(profile.tree.parent[root]) : ''),
    hit: (step: number) => {
      const found = expression ? rows.filter(r => r.row >= 0 && expression.test(r.name)) : [], at = found.findIndex(r => r.row === selected)
      if (found.length > 0) select(found[(at < 0 ? step > 0 ? 0 : found.length - 1 : at + step + found.length) % found.length].row)
    },
    clear: () => setMore('method', ''), reset: () => {
      setZoom({ from: head.startNs, to: head.endNs })
      go({ filter: firstFilter(doc), more: {} })
    },
    copy: () => navigator.clipboard?.writeText(document.getElementById('command')!.textContent!), sort: (k: string) => setMore('sort', k), pause: () => served?.state.live && served.pause(),
    zoom: (factor: number, shift: number) => {
      const middle = (zoom.from + zoom.to) / 2 + shift * (zoom.to - zoom.from), half = (zoom.to - zoom.from) / 2 * factor
      setZoom({ from: Math.round(Math.max(head.startNs, middle - half)), to: Math.round(Math.min(head.endNs, middle + half)) })
    },
  }
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => shortcut(e, actions)
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  const words = commandWords(page, more), one = page === 'time' && shown >= 0 ? { ...filter, thread: [head.threads[shown].id] } : filter
  const text = head.live ? liveCommand(words, one, profile.range, served) : command(words.words, words.filtered ? one : noFilter, words.more, head.file)
  const timed = profilePages.some(([p]) => p === page)
  const pages: Record<string, () => h.JSX.Element> = {
    summary: () => <Summary doc={doc} profile={profile} rows={rows} onPage={p => go({ page: p })}
      onMethod={r => go({ page: 'top', more: { ...more, method: profile.tree.names[r] } })} />,
    top: () => <Top profile={profile} rows={rows} sort={sort} selected={selected} onSort={k => setMore('sort', k)} onSelect={select} onOpen={r => flag('focus', r.row)} />,
    tree: () => <CallTree profile={profile} selected={selected} onSelect={select} />,
    counters: () => <Counters doc={doc} />,
    flame: () => <div class="graph"><div class="options">
      <button aria-pressed={!up} onClick={() => setMore('up', '')}>Root down</button><button aria-pressed={up} onClick={() => setMore('up', '1')}>Leaf up</button>
      {(['just-my-code', 'fold-recursion', 'runtime-helpers'] as const).map(f => <label><input type="checkbox" checked={filter[f]} onChange={() => toggle(f)} />{f}</label>)}
      {root > 0 && <button onClick={() => setMore('root', '')}>Reset zoom</button>}</div>
      <Flame doc={doc} profile={profile} up={up} root={root} label="flame graph" layout={flame} selected={selected} search={expression} onHover={setHover}
        onSelect={select} onZoom={n => setMore('root', String(n), false)} onIgnore={r => flag('ignore', r)} /></div>,
    time: () => <div class="graph"><div class="options">{shown < 0 ? 'No samples in the range.' : `Thread ${head.threads[shown].id} ${printable(head.threads[shown].name ?? '')}`}
      <span class="muted">click a thread in the timeline to choose another one</span></div>
      <Flame doc={doc} profile={profile} up={false} root={0} label="time order" layout={order} selected={selected} search={expression} onHover={setHover}
        onSelect={select} onZoom={() => {}} onIgnore={r => flag('ignore', r)} /></div>,
  }
  const draw = pages[page] ?? (head.parts[page] ? () => <ReportPage doc={doc} part={page} from={profile.range.from} to={profile.range.to}
    onRange={(a, b) => go({ filter: { ...filter, from: durationText(a), to: durationText(b) } })} /> : () => <p class="why">There is no page {printable(page)}.</p>)
  const link = (name: string, label: string, count: string, dim: boolean) => <li><a href={formatAddress({ page: name, filter, more })} class={dim ? 'dim' : ''}
    aria-current={page === name ? 'page' : undefined} onClick={e => {
      if (e.ctrlKey || e.metaKey || e.shiftKey) return
      e.preventDefault()
      go({ page: name })
    }}>{label}<span>{count}</span></a></li>
  const total = profile.type ? `${counted(profile.samples, 'sample')} · ` : ''
  return <div class="app">
    <a class="skip" href="#main" onClick={e => {
      e.preventDefault()
      document.getElementById('main')!.focus()
    }}>Skip to the page</a>
    <nav aria-label="Pages"><ul>{link('summary', 'Summary', '', false)}</ul><h2>Profile</h2>
      <ul>{profilePages.map(([p, label]) => link(p, label, '', !profile.type))}</ul><h2>Reports</h2>
      <ul>{head.partNames.filter(part => part !== 'counters').map(part => {
        const list = head.parts[part], none = list.every(r => !r.totals)
        return link(part, part, none ? '-' : grouped(list.reduce((n, r) => n + (r.rows?.length ?? 0), 0)), none)
      })}
        {link('counters', 'counters', head.counters.length ? grouped(head.counters.length) : '-', head.counters.length === 0)}</ul></nav>
    <header><h1>{printable(head.process || head.file)}</h1><span class="file">{printable(head.file)}</span>
      <span class="muted">{seconds(head.endNs - head.startNs, 2)} · {total}{grouped(Number(head.lostEvents))} lost</span>
      <input ref={search} type="search" placeholder="/ Search" aria-label="Search" value={more.q ?? ''} onInput={e => setMore('q', e.currentTarget.value)} />
      {expression && <span class="muted" id="hits">{hits(profile, expression)}</span>}
      {served && <LiveControls doc={doc} served={served} whole={!!filter.from || !!filter.to} />}
      <button aria-label="Theme" onClick={theme}>◐</button></header>
    {served && <Bands doc={doc} served={served} />}
    {(head.error || head.lostEvents !== '0') && <div class="band" role="status">{head.error ? `The trace is malformed or truncated: ${printable(head.error)}. All data before it is shown. ` : ''}
      {head.lostEvents !== '0' ? `${grouped(Number(head.lostEvents))} events were lost.` : ''}</div>}
    <FilterBar doc={doc} filter={filter} error={error} onFilter={f => go({ filter: f })} />
    {page !== 'summary' && <Timeline doc={doc} type={profile.type} range={clipped(profile.range, head.startNs, head.endNs)} zoom={zoom} threads={threads} onZoom={setZoom}
      onRange={(a, b, done) => go({ filter: { ...filter, from: durationText(a), to: durationText(b) } }, !done)}
      onMark={(a, b) => go({ page: 'gc', filter: { ...filter, from: durationText(a), to: durationText(b) } })}
      onThread={(id, add) => go({ filter: { ...filter, thread: add ? filter.thread.includes(id) ? filter.thread.filter(t => t !== id) : [...filter.thread, id] : [id] } })} />}
    <main id="main" tabIndex={-1}>{timed && !profile.type ? <p class="why">{printable(head.why.wall ?? 'The trace has no samples.')}</p>
      : timed && profile.samples === 0 ? <p class="why">No samples: the filter matches nothing. <button onClick={actions.reset}>Reset the filter</button></p> : draw()}</main>
    {timed && <Details doc={doc} profile={profile} whole={whole} row={selectedRow} onFlag={f => flag(f)} onSelect={select} />}
    <div class="status"><span id="hover">{hover}</span><span id="live" class="hidden" aria-live="polite">{selectedRow ? sentence(profile, selectedRow) : ''}</span></div>
    <CommandBar text={text} />
  </div>
}

const clipped = (r: Range, from: number, to: number): Range => ({ from: Math.max(r.from, from), to: Math.min(r.to, to) })

/** Returns the words and flags of the command for a page, and whether it takes the filter. */
function commandWords(page: string, more: Record<string, string>): { words: string[]; filtered: boolean; more: string[] } {
  switch (page) {
    case 'summary': return { words: ['report'], filtered: false, more: [] }
    case 'counters': return { words: ['counters'], filtered: false, more: [] }
    case 'flame': case 'tree': return { words: ['top', more.up === '1' && page === 'flame' ? '--bottom-up' : '--tree'], filtered: true, more: [] }
    case 'time': return { words: ['top', '--tree'], filtered: true, more: [] }
    case 'top': return { words: ['top'], filtered: true, more: more.sort === 'total' ? ['--sort', 'total'] : [] }
  }
  return { words: ['report', page], filtered: false, more: [] }
}

/** Returns the share of the samples through a method that matches. */
function hits(p: Profile, expression: RegExp): string {
  const { tree } = p, hit = tree.names.map(n => expression.test(n)), below = new Uint8Array(tree.parent.length)
  let sum = 0
  for (let node = 1; node < below.length; node++) {
    below[node] = below[tree.parent[node]] || (hit[tree.row[node]] ? 1 : 0)
    if (below[node] && !below[tree.parent[node]]) sum += p.total[node]
  }
  return p.sum > 0 ? `${(100 * sum / p.sum).toFixed(1)} % hit` : ''
}

/** Changes the theme and remembers it. */
function theme() {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = dark ? 'light' : 'dark'
  try {
    localStorage.setItem('nettrace.theme', root.dataset.theme)
  } catch {
    // Without storage the choice lasts for this page.
  }
  dispatchEvent(new Event('resize'))
}
