// The list of keys and mouse actions.
import { h } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { fact } from './facts'
import { keyTable, letters, setLetters } from './keys'
import { check } from './options'

const mouse: [string, string][] = [
  ['drag in the timeline', 'set the range; drag an end to move it, inside to move both'],
  ['double-click in the range', 'zoom the timeline to it'],
  ['Ctrl+wheel, Shift+wheel', 'zoom the timeline at the pointer, pan it'],
  ['click a thread', 'only this thread; Ctrl+click adds or removes it'],
  ['click a box or a row', 'select the method'],
  ['double-click a box', 'zoom to it, open a row of several frames'],
  ['right-click', 'commands for the method'],
  ['Alt+click a box', 'ignore: remove the samples through it'],
]

export function Help({ onClose }: { onClose(): void }) {
  const dialog = useRef<HTMLDialogElement>(null), [on, setOn] = useState(letters)
  useEffect(() => dialog.current!.showModal(), [])
  return <dialog ref={dialog} aria-labelledby="help" onClose={onClose} class="help">
    <div class="title"><h2 id="help">Keys and mouse</h2><button onClick={() => dialog.current!.close()}>Close</button></div>
    {check('Single characters act (? always does)', on, v => {
      setLetters(v)
      setOn(v)
    })}
    <div class="columns">
      {keyTable.map(([part, list]) => <section><h3>{part}</h3><dl>{list.map(([keys, text]) => fact(keys.split(', ').map(key => <kbd>{key}</kbd>), text))}</dl></section>)}
      <section><h3>Mouse</h3><dl class="mouse">{mouse.map(([what, text]) => fact(what, text))}</dl></section>
    </div>
  </dialog>
}
