// The menu of a method: right-click, or the Menu key.
import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { listen } from './listen'

/** A place for the menu, and the method and frame that it is for. */
export interface MenuAt { x: number; y: number; row: number; node: number }

export interface MenuItem { label: string; key?: string; act: (() => void) | null }  // null: not for this method

export function Menu({ at, title, items, onClose }: { at: MenuAt; title: string; items: MenuItem[]; onClose(): void }) {
  const list = useRef<HTMLDivElement>(null), before = useRef(document.activeElement as HTMLElement | null)
  useEffect(() => {
    const el = list.current!, r = el.getBoundingClientRect()
    el.style.left = Math.max(0, Math.min(at.x, innerWidth - r.width)) + 'px'
    el.style.top = Math.max(0, Math.min(at.y, innerHeight - r.height)) + 'px'
    el.querySelector<HTMLElement>('button:enabled')?.focus()
    return listen('pointerdown', e => el.contains(e.target as Node) || onClose())
  }, [at])
  const close = () => {
    onClose()
    before.current?.focus()
  }
  const onKey = (e: KeyboardEvent) => {
    const buttons = [...list.current!.querySelectorAll<HTMLElement>('button:enabled')], i = buttons.indexOf(document.activeElement as HTMLElement)
    const to: Record<string, number> = { ArrowDown: i + 1, ArrowUp: i - 1 + buttons.length, Home: 0, End: buttons.length - 1 }
    if (e.key === 'Escape' || e.key === 'Tab') close()
    else if (e.key in to) buttons[to[e.key] % buttons.length]?.focus()
    else return
    e.preventDefault()
  }
  return <div class="menu" role="menu" aria-label={title} ref={list} onKeyDown={onKey} onContextMenu={e => e.preventDefault()}>
    <p class="muted" aria-hidden="true">{title}</p>
    {items.map(i => <button role="menuitem" tabIndex={-1} disabled={!i.act} onClick={() => {
      close()
      i.act!()
    }}>{i.label}<kbd>{i.key}</kbd></button>)}
  </div>
}

/** Reports whether a key opens the menu. */
export const opensMenu = (e: KeyboardEvent): boolean => e.key === 'ContextMenu' || e.key === 'F10' && e.shiftKey
