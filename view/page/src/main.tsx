// Starts the page.
import { h, render } from 'preact'
import './style.css'
import '../npm/uplot/dist/uPlot.min.css'
import { App } from './app'
import { decode } from './data'
import { ServedApp } from './live'
import { Unusable, isReport, load, takeToken } from './source'
import { restoreTheme } from './theme'
import * as calls from './calls'

takeToken()
restoreTheme()

/** Shows why there is no page. */
function fail(error: unknown) {
  const text = error instanceof Error ? error.message : String(error)
  render(<main class="failed"><h1>nettrace</h1><p role="alert">{text}</p>
    {error instanceof Unusable ? null : <p class="muted">This is an error in the page. Please report it with this text: {error instanceof Error ? error.stack : ''}</p>}</main>, root)
}

const root = document.getElementById('root')!
load().then(decode).then(doc => {
  calls.publish(doc)
  doc.moving = !!doc.head.live
  render(isReport() ? <App doc={doc} /> : <ServedApp doc={doc} />, root)
}).catch(fail)
