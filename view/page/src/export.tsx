// Export: the samples of the page in the formats of "nettrace convert".
import { h } from 'preact'
import { useState } from 'preact/hooks'
import { Filter, command, pairs } from './filter'
import { download, get, isReport } from './source'
import { messageOf } from './format'

/** Formats and the extensions of their files. */
const formats: Record<string, string> = { pprof: '.pb.gz', speedscope: '.speedscope.json', chromium: '.chromium.json', folded: '.folded' }

/** The button Export; a report has no server that converts: it shows the command. */
export function Export({ file, joins, filter }: { file: string; joins?: string; filter: Filter }) {
  const [result, setResult] = useState('')
  const save = async (format: string) => {
    const name = file.replace(/\.nettrace(\.(gz|zst))?$/, '') + formats[format]
    setResult('')
    if (isReport()) return setResult(command(['convert', '-o', name], filter, joins ? ['--' + joins] : [], file))
    try {
      const query = new URLSearchParams([...pairs(filter), ['format', format]])
      download(await (await get('/api/export?' + query)).blob(), name)
    } catch (e) {
      setResult(messageOf(e))
    }
  }
  return <span class="export"><select id="export" aria-label="Export" value="" onChange={e => {
    const format = e.currentTarget.value
    e.currentTarget.value = ''
    void save(format)
  }}><option value="">Export</option>{Object.keys(formats).map(f => <option value={f}>{f}</option>)}</select>
    {result && <span class="result" role="status">{result} <button aria-label="Close" onClick={() => setResult('')}>×</button></span>}</span>
}
