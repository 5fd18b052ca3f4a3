// The choice of an older trace to compare with: a report of nettrace, chosen or dropped on the page.
import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Doc, decode } from './data'
import { listen } from './listen'
import { base64 } from './source'

/** Returns the document in a report. */
async function documentIn(file: File): Promise<Doc> {
  const data = /<script type="application\/octet-stream" id="data">([^<]*)/.exec(await file.text())
  if (!data) throw new Error(`${file.name} is no report of nettrace: make one of the other trace with nettrace report -o OTHER.html OTHER.nettrace`)
  return decode(base64(data[1].trim()))
}

export interface CompareProps { onDoc(doc: Doc): void; onError(e: unknown): void }

/** The button that chooses the older trace. A report can also be dropped anywhere. */
export function Compare({ onDoc, onError }: CompareProps) {
  const input = useRef<HTMLInputElement>(null), read = (file: File | null | undefined) => file && documentIn(file).then(onDoc, onError)
  useEffect(() => {
    const ends = [listen('dragover', e => e.preventDefault()), listen('drop', e => {
      e.preventDefault()
      read(e.dataTransfer?.files[0])
    })]
    return () => ends.forEach(end => end())
  })
  return <span class="compare"><button id="compare" title="Compare with the report of an older trace ( = ): choose it, or drop it here" onClick={() => input.current!.click()}>Compare</button>
    <input ref={input} type="file" accept=".html" hidden aria-label="Report of an older trace" onChange={e => {
      read(e.currentTarget.files?.[0])
      e.currentTarget.value = ''
    }} /></span>
}
