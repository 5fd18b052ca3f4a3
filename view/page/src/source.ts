// Where the document comes from: the page itself, or the server that sent the page.

const tokenKey = 'nettrace.token', openKey = 'nettrace.open'

/** Opens a document of the server's list in this tab; '' is the list. */
export function openDocument(name: string) {
  sessionStorage.setItem(openKey, name)
  location.hash = '#/summary'
  location.reload()
}

/** Reports whether the document is one of a list. */
export const isListed = () => !isReport() && !!sessionStorage.getItem(openKey)

/** Returns the path of a request about the open document. */
function about(path: string): string {
  const name = sessionStorage.getItem(openKey)
  return name ? path + (path.includes('?') ? '&' : '?') + 'open=' + encodeURIComponent(name) : path
}

/** Removes the token from the address and keeps it for this tab. It runs before anything else. */
export function takeToken() {
  const token = /[?&]token=([0-9a-f]+)/.exec(location.hash)
  if (!token) return
  if (sessionStorage.getItem(tokenKey) !== token[1]) sessionStorage.removeItem(openKey)  // of another server
  sessionStorage.setItem(tokenKey, token[1])
  const rest = location.hash.replace(token[0], token[0][0] === '?' ? '?' : '').replace('?&', '?').replace(/\?$/, '')
  history.replaceState(null, '', location.pathname + location.search + rest)
}

/** A state of the server or of the browser that the page can explain. */
export class Unusable extends Error {}

/** Returns the compressed document. The query reload=true lets the server read a changed trace again; from and to choose a part of a large one. */
export async function load(query = ''): Promise<Uint8Array> {
  if (typeof DecompressionStream === 'undefined') {
    throw new Unusable('This browser is too old: the page needs Chrome 80, Firefox 113, Safari 16.4 or later.')
  }
  const data = embedded('data')
  if (data) return data
  const response = await get('/api/data' + query)
  return new Uint8Array(await response.arrayBuffer())
}

/** Returns a part of a report, null if the page does not have it. */
export function embedded(name: string): Uint8Array | null {
  const data = document.getElementById(name)
  return data && base64(data.textContent!.trim())
}

/** Returns the value of JSON in UTF-8. */
export const parsed = (data: Uint8Array) => JSON.parse(new TextDecoder().decode(data))

/** Decompresses data. */
export async function gunzip(packed: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

export function base64(text: string): Uint8Array {
  const binary = atob(text), bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Asks the server, with the token. */
export const get = (path: string, signal?: AbortSignal): Promise<Response> => request(path, 'GET', signal)

/** Asks the server to do something. */
export const post = (path: string): Promise<Response> => request(path, 'POST')

const serverEnded = 'nettrace view has ended, or does not answer: start it again and open the address that it prints.'

async function request(path: string, method: string, signal?: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(about(path), { method, headers: { Authorization: 'Bearer ' + (sessionStorage.getItem(tokenKey) ?? '') }, cache: 'no-store', signal })
  } catch {
    throw new Unusable(serverEnded)
  }
  if (response.status === 401 || response.status === 403) throw new Unusable('Open the address that nettrace view printed: it contains the token.')
  if (!response.ok) throw new Unusable('nettrace view: ' + (await response.text()).trim())
  return response
}

/** Calls next for each state of the document that the server sends. It throws when the server ends. */
export async function watch<T>(next: (state: T) => void, signal: AbortSignal) {
  const response = await request('/api/live', 'GET', signal), reader = response.body!.getReader(), text = new TextDecoder()
  try {
    for (let rest = ''; ;) {
      const { value, done } = await reader.read()
      if (done) break
      const lines = (rest + text.decode(value, { stream: true })).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line.startsWith('data: ')) next(JSON.parse(line.slice(6)))
    }
  } catch {
    // The connection was reset.
  }
  throw new Unusable(serverEnded)
}

/** Reports whether the document is in the page, which then has no server. */
export const isReport = () => document.getElementById('data') !== null

/** Saves data as a file of the user. */
export function download(data: Blob, name: string) {
  const link = document.createElement('a'), address = URL.createObjectURL(data)
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10000)
}
