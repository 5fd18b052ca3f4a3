// The document of a server: it can change, pause, be saved, and its server can end.
import { ComponentChildren, h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatAddress, parseAddress } from './address'
import { App } from './app'
import * as calls from './calls'
import { Doc, decode } from './data'
import { CommandWords, Filter, command, onlyFlags } from './filter'
import { counted, messageOf, printable, seconds } from './format'
import { Range, chosenRange } from './profile'
import { backToList } from './opener'
import { movedNodes, movedRow, nodeKeys } from './samenode'
import { load, post, watch } from './source'
import { durationText } from './time'

/** What the server reports about the document. */
export interface State { version: number; live: boolean; paused: boolean; ended: string; changed: boolean; note: string }

/** What the page shows about its server, and can ask it for. */
export interface Served {
  state: State
  lost: string                       // why the server does not answer, '' if it does
  saved: string                      // name of the last saved trace
  exact: boolean                     // the document is that of the saved trace
  problem: string                    // why the last request failed
  pause(): void
  save(): void
  reload(): void
  need(range: Range): void           // of a trace of which the document has a part
}

const first: State = { version: 0, live: false, paused: false, ended: '', changed: false, note: '' }

/** The page of a served document. */
export function ServedApp({ doc: loaded }: { doc: Doc }) {
  const [doc, setDoc] = useState(loaded), [state, setState] = useState(first), [lost, setLost] = useState('')
  const [saved, setSaved] = useState(''), [exact, setExact] = useState(false), [problem, setProblem] = useState(''), [attempt, setAttempt] = useState(0)
  const shown = useRef(0), asked = useRef(''), shownDoc = useRef(loaded)
  const fetchDocument = async (query = '') => {
    const next = await decode(await load(query))
    next.moving = !!next.head.live
    calls.publish(next)
    setDoc(next)
    moveAddress(shownDoc.current, next)
    shownDoc.current = next
    setExact(false)
  }
  const failed = (e: unknown) => setProblem(messageOf(e))
  useEffect(() => {
    const end = new AbortController()
    let newest = first, loading = false
    // One document is loaded at a time; the states that arrive meanwhile are answered by the next one.
    const follow = async () => {
      if (loading) return
      loading = true
      try {
        while (newest.version !== shown.current && !end.signal.aborted) {
          const version = newest.version
          if (shown.current > 0 || version > 1) {
            await fetchDocument()
          }
          shown.current = version
        }
      } catch (e) {
        failed(e)
      }
      loading = false
    }
    watch((next: State) => {
      newest = next
      setState(next)
      setLost('')
      void follow()
    }, end.signal).catch(e => !end.signal.aborted && setLost(messageOf(e)))
    return () => end.abort()
  }, [attempt])
  const ask = (path: string, then: (answer: Response) => Promise<void> | void) => {
    setProblem('')
    post(path).then(then).catch(failed)
  }
  const served: Served = {
    state, lost, saved, exact, problem,
    pause: () => ask('/api/live/pause?paused=' + !state.paused, () => {}),
    save: () => ask('/api/live/save', async answer => {
      setSaved((await answer.json()).file)
      setExact(state.paused || state.ended !== '')
    }),
    reload: () => {
      setProblem('')
      if (lost) return setAttempt(attempt + 1)
      fetchDocument('?reload=true').then(() => setAttempt(attempt + 1)).catch(failed)
    },
    need: range => {
      const query = `?from=${range.from}&to=${range.to}`
      if (lost || asked.current === query) return
      asked.current = query
      fetchDocument(query).catch(failed)
    },
  }
  return <App doc={doc} served={served} />
}

/** Puts the nodes of the next document into the address. */
function moveAddress(from: Doc, to: Doc) {
  const address = parseAddress(location.hash), more = { ...address.more }
  for (const key of nodeKeys) if (more[key]) more[key] = movedNodes(from, to, more[key])
  if (more.row) more.row = movedRow(from, to, more.row)
  if ([...nodeKeys, 'row'].every(key => more[key] === address.more[key])) return
  history.replaceState(null, '', formatAddress({ ...address, more }))
  dispatchEvent(new PopStateEvent('popstate'))
}

/** The controls of a running process. */
export function LiveControls({ doc, served, whole }: { doc: Doc; served: Served; whole: boolean }) {
  const { state } = served
  if (!doc.head.live) return backToList()
  return <span class="controls"><strong class={state.live && !state.paused && !served.lost ? 'on' : ''} id="live-state">{served.lost ? 'no server' : state.ended ? 'ended' : state.paused ? 'paused' : 'live'}</strong>
    {!whole && <span class="muted">last 60 s</span>}
    {!state.ended && <button onClick={served.pause} disabled={!!served.lost} aria-pressed={state.paused}>{state.paused ? 'Continue' : 'Pause'}</button>}
    <button onClick={served.save} disabled={!!served.lost}>Save</button>{backToList()}</span>
}

/** Loads the samples of the range of a filter, if the document has those of another part of the trace. */
export function useNeeded(doc: Doc, filter: Filter, served?: Served) {
  const part = doc.head.part
  useEffect(() => {
    if (!part || !served || !filter.from && !filter.to) return
    const timer = setTimeout(() => {
      try {
        const range = chosenRange(doc, filter), from = Math.max(range.from, doc.head.startNs), to = Math.min(range.to, doc.head.endNs + 1)
        if (from < part.fromNs || to > part.toNs) served.need({ from, to })
      } catch {
        // The filter bar shows what is wrong.
      }
    }, settle)
    return () => clearTimeout(timer)
  }, [doc, filter.from, filter.to])
}

const settle = 200  // ms without a change of the range before its samples are loaded

/** The samples that a page cannot have. */
export function PartBand({ doc, served }: { doc: Doc; served?: Served }) {
  const part = doc.head.part
  if (!part) return null
  return <div>The trace has {counted(part.all, 'sample')}: too many for a page. It has the {counted(part.samples, 'sample')} from {seconds(part.fromNs, 3)} to {seconds(part.toNs, 3)}, the busiest part.
    {served ? ' Choose another range to load it.' : ' nettrace view shows the others.'}</div>
}

/** What the user must know about the document and its server; a report has none. */
export function Bands({ doc, served }: { doc: Doc; served?: Served }) {
  const list: ComponentChildren[] = []
  if (doc.head.part) list.push(<PartBand doc={doc} served={served} />)
  if (served) {
    const { state } = served
    if (served.lost) list.push(<div>{served.lost} The page keeps its data. <button onClick={served.reload}>Reconnect</button></div>)
    if (state.changed) list.push(<div>The trace has changed on disk since it was read. <button onClick={served.reload}>Read it again</button></div>)
    if (state.ended) list.push(<div>The recording has ended: {printable(state.ended)}. The page keeps the events of {printable(doc.head.live ?? '')}. Save writes them as a trace.</div>)
    if (state.note) list.push(<div>{printable(state.note)}</div>)
    if (served.saved) list.push(<div>Saved as <code>{printable(served.saved)}</code> in the folder of nettrace view.</div>)
    if (served.problem) list.push(<div role="alert">{printable(served.problem)}</div>)
  }
  return list.length === 0 ? null : <div class="band served" role="status">{list}</div>
}

/** Returns a filter with a range. */
export function withRange(filter: Filter, range: Range): Filter {
  return { ...filter, from: Number.isFinite(range.from) ? durationText(range.from) : '', to: Number.isFinite(range.to) ? durationText(range.to) : '' }
}

/** Returns the command for a page of a running process: of the saved trace, or of the process. */
export function liveCommand(page: CommandWords, filter: Filter, range: Range, served?: Served): string {
  if (served?.exact) {
    return command(page.words, onlyFlags(withRange(filter, range), page.flags), page.more, served.saved)
  }
  return 'Pause and Save write the trace for a command.'
}
