// The page without a trace: the running processes and the traces of the current folder.
import { h } from 'preact'
import { amount, printable } from './format'
import { openDocument } from './source'

/** A process as "nettrace ps --json" prints it. */
interface Process {
  pid?: number; nspid: number; name?: string; version?: string; architecture?: string; user?: string; container?: string; commandLine?: string; port?: string; error?: string
}
/** A recording that a page began; it has a document also when it has ended. */
interface Recording { name: string; pid: number; title: string; ended?: string }
export interface Home { folder: string; processes: Process[]; recordings: Recording[]; traces: { name: string; bytes: number; modified: string }[]; problem?: string }

/** Returns the start of the container's id, as "nettrace ps" does, or what is known of another one. */
const container = (p: Process) => p.container ? p.container.slice(0, 12) : p.pid !== p.nspid ? `other (${p.nspid} there)` : ''

export function HomePage({ home }: { home: Home }) {
  const of = (pid: number) => home.recordings.filter(r => r.pid === pid)
  /** Returns the name of the newest recording of a process, of a new one if there is none. */
  const newest = (pid: number) => of(pid).pop()?.name ?? 'process-id:' + pid
  return <div class="home"><header><h1>nettrace</h1><span class="file">{printable(home.folder)}</span><button onClick={() => location.reload()}>Look again</button></header>
    <main id="main">
      {home.problem && <p role="alert">{printable(home.problem)}</p>}
      <h2>Traces</h2>
      {home.traces.length === 0 ? <p class="why">No trace is in the current folder. Record one: <code>nettrace collect -p PID</code>, or choose a process below.</p>
        : <table aria-label="Traces"><thead><tr><th scope="col">name</th><th scope="col" class="right">size</th><th scope="col">changed</th></tr></thead>
          <tbody>{home.traces.map(t => <tr><td><button onClick={() => openDocument('file:' + t.name)}>{printable(t.name)}</button></td>
            <td class="right" title={String(t.bytes)}>{amount(t.bytes, 'bytes')}</td><td>{printable(t.modified.slice(0, 19).replace('T', ' '))}</td></tr>)}</tbody></table>}
      {home.recordings.length > 0 && <h2>Recordings</h2>}
      {home.recordings.length > 0 && <table aria-label="Recordings"><thead><tr><th scope="col">process</th><th scope="col">state</th><th scope="col" /></tr></thead>
        <tbody>{home.recordings.map(r => <tr><td><button onClick={() => openDocument(r.name)}>{printable(r.title)}</button></td>
          <td>{r.ended ? 'ended: ' + printable(r.ended) : 'running'}</td>
          <td>{r.ended && newest(r.pid) === r.name && home.processes.some(p => p.pid === r.pid && !p.error) &&
            <button onClick={() => openDocument(`process-id:${r.pid}#${of(r.pid).length + 1}`)}>Record again</button>}</td></tr>)}</tbody></table>}
      <h2>Processes</h2>
      {home.processes.length === 0 ? <p class="why">No .NET process is visible: see <code>nettrace ps --help</code>.</p>
        : <table aria-label="Processes"><thead><tr>{['pid', 'name', 'runtime', 'arch', 'user', 'container', 'command'].map(c => <th scope="col" class={c === 'pid' ? 'right' : ''}>{c}</th>)}</tr></thead>
          <tbody>{home.processes.map(p => [<tr class={p.error ? 'muted' : ''}><td class="right">{p.pid ?? ''}</td>
            <td>{p.error || !p.pid ? printable(p.name ?? '') : <button onClick={() => openDocument(newest(p.pid!))}>{printable(p.name ?? String(p.pid))}</button>}</td>
            {[p.version, p.architecture, p.user, container(p), p.commandLine].map(text => <td>{printable(text ?? '')}</td>)}</tr>,
          (p.error || !p.pid) && <tr class="muted"><td /><td colSpan={6}>{p.error ? printable(p.error) : <span>Its number on this machine is not known: <code>nettrace view --port {printable(p.port ?? '')},connect</code></span>}</td></tr>])}</tbody></table>}
    </main></div>
}
