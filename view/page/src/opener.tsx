// Buttons that open another document of the server.
import { h } from 'preact'
import { printable } from './format'
import { isListed, openDocument } from './source'

/** Returns a button that opens a document. */
export const opener = (name: string, text: string) => <button onClick={() => openDocument(name)}>{printable(text)}</button>

/** Returns a button that leads back to the list of documents, null where there is none. */
export const backToList = () => isListed() ? opener('', 'Traces and processes') : null
