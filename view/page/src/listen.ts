// Events of the window.

/** Calls act for an event until the function that it returns is called: what an effect returns. */
export function listen<K extends keyof WindowEventMap>(name: K | 'sizes', act: (e: WindowEventMap[K]) => void): () => void {
  addEventListener(name, act as EventListener)
  return () => removeEventListener(name, act as EventListener)
}
