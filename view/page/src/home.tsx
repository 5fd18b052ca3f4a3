// The page without a trace: the running processes and the traces of the current folder.
import { ComponentChildren, h } from 'preact'
import { amount, printable } from './format'
import { opener } from './opener'

/** A process as "nettrace ps --json" prints it. */
interface Process {
  pid?: number; nspid: number; name?: string; version?: string; architecture?: string; user?: string; container?: string; commandLine?: string; port?: string; error?: string
}
/** A recording that a page began; it has a document also when it has ended. */
interface Recording { name: string; pid: number; title: string; ended?: string }
export interface Home { folder: string; processes: Process[]; recordings: Recording[]; traces: { name: string; bytes: number; modified: string }[]; problem?: string }

/** Returns the start of the container's id, as "nettrace ps" does, or what is known of another one. */
const container = (p: Process) => p.container ? p.container.slice(0, 12) : p.pid !== p.nspid ? `other (${p.nspid} there)` : ''

/** Returns a table; columns of numbers are at the right. */
const table = (label: string, titles: string[], rows: ComponentChildren) => <table aria-label={label}>
  <thead><tr>{titles.map(t => <th scope="col" class={t === 'pid' || t === 'size' ? 'right' : ''}>{t}</th>)}</tr></thead><tbody>{rows}</tbody></table>

export function HomePage({ home }: { home: Home }) {
  const of = (pid: number) => home.recordings.filter(r => r.pid === pid)
  /** Returns the name of the newest recording of a process, of a new one if there is none. */
  const newest = (pid: number) => of(pid).pop()?.name ?? 'process-id:' + pid
  return <div class="home"><header><h1>nettrace</h1><span class="file">{printable(home.folder)}</span><button onClick={() => location.reload()}>Look again</button></header>
    <main id="main">
      {home.problem && <p role="alert">{printable(home.problem)}</p>}
      <h2>Traces</h2>
      {home.traces.length === 0 ? <p class="why">No trace is in the current folder. Record one: <code>nettrace collect -p PID</code>, or choose a process below.</p>
        : table('Traces', ['name', 'size', 'changed'], home.traces.map(t => <tr><td>{opener('file:' + t.name, t.name)}</td>
          <td class="right" title={String(t.bytes)}>{amount(t.bytes, 'bytes')}</td><td>{printable(t.modified.slice(0, 19).replace('T', ' '))}</td></tr>))}
      {home.recordings.length > 0 && <h2>Recordings</h2>}
      {home.recordings.length > 0 && table('Recordings', ['process', 'state', ''], home.recordings.map(r => <tr><td>{opener(r.name, r.title)}</td>
        <td>{r.ended ? 'ended: ' + printable(r.ended) : 'running'}</td>
        <td>{r.ended && newest(r.pid) === r.name && home.processes.some(p => p.pid === r.pid && !p.error) && opener(`process-id:${r.pid}#${of(r.pid).length + 1}`, 'Record again')}</td></tr>))}
      <h2>Processes</h2>
      {home.processes.length === 0 ? <p class="why">No .NET process is visible: see <code>nettrace ps --help</code>.</p>
        : table('Processes', ['pid', 'name', 'runtime', 'arch', 'user', 'container', 'command'], home.processes.map(p => [<tr class={p.error ? 'muted' : ''}><td class="right">{p.pid ?? ''}</td>
          <td>{p.error || !p.pid ? printable(p.name ?? '') : opener(newest(p.pid), p.name ?? String(p.pid))}</td>
          {[p.version, p.architecture, p.user, container(p), p.commandLine].map(text => <td>{printable(text ?? '')}</td>)}</tr>,
        (p.error || !p.pid) && <tr class="muted"><td /><td colSpan={6}>{p.error ? printable(p.error) : <span>Its number on this machine is not known: <code>nettrace view --port {printable(p.port ?? '')},connect</code></span>}</td></tr>]))}
    </main></div>
}
