// Starts the page.
import { Component, ComponentChildren, h, render } from 'preact'
import './style.css'
import { App } from './app'
import { copyText } from './clipboard'
import { decode } from './data'
import { HomePage } from './home'
import { ServedApp } from './live'
import { backToList } from './opener'
import { Unusable, isReport, load, parsed, takeToken } from './source'
import { restoreTheme } from './theme'
import * as calls from './calls'
import { messageOf } from './format'

takeToken()
restoreTheme()

let tool = 'nettrace'  // its name and version

/** Shows why there is no page. */
function Failed({ error }: { error: unknown }) {
  const details = error instanceof Error ? error.stack ?? '' : ''
  return <main class="failed"><h1>nettrace</h1><p role="alert">{messageOf(error)}</p>
    {backToList()}
    {error instanceof Unusable ? null : <p class="muted">This is an error in the page of {tool}. Please report it with this text: {details} <button onClick={() => copyText(`${tool}\n${details}`)}>Copy</button></p>}</main>
}

/** Shows an error of the page in place of it. */
class Boundary extends Component<{ children: ComponentChildren }, { failed: boolean; error: unknown }> {
  state = { failed: false, error: null }
  static getDerivedStateFromError = (error: unknown) => ({ failed: true, error })
  render() {
    return this.state.failed ? <Failed error={this.state.error} /> : this.props.children
  }
}

const root = document.getElementById('root')!

/** Shows the document, or the list of those that the server can open: JSON, where a document is compressed. */
async function show() {
  const data = await load()
  if (data[0] === 0x7b) {
    return render(<Boundary><HomePage home={parsed(data)} /></Boundary>, root)
  }
  const doc = await decode(data)
  tool = doc.head.tool
  calls.publish(doc)
  if (doc.head.address && !location.hash) history.replaceState(null, '', doc.head.address)
  doc.moving = !!doc.head.live
  render(<Boundary>{isReport() ? <App doc={doc} /> : <ServedApp doc={doc} />}</Boundary>, root)
}
show().catch(error => render(<Failed error={error} />, root))
