// Draws the boxes of the flame graph and of the time order.
import { Boxes } from './boxes'
import { ColorMode, Palette, changeColor, moduleColor, shareColor, textOnChange } from './colors'
import { amount, fit, nameForms, percent, printable } from './format'
import { hatch } from './hatch'
import { Profile } from './profile'
import { drawn } from './size'

export const height = 20  // of a row in px
const character = 6.6  // width in px

/** The visible part of the boxes. */
export interface View { width: number; height: number; top: number }

export interface Look {
  profile: Profile; boxes: Boxes; palette: Palette; color: ColorMode
  neutral: Set<string>     // modules of the framework
  waiting: Float64Array    // of the total of a node, for the colour by state
  truncated: Set<number>   // rows in place of frames that were not recorded
  ancestors: number        // rows above the root box, which are dimmed
  at: number; selected: number; hover: number  // box, row, box
  search: RegExp | null
  change: ((node: number) => Changed) | null  // of a frame since the older trace
}

/** The change of a frame: from -1 to 1, and in words. */
export interface Changed { part: number; label: string; sentence: string }

/** Returns the name of a box without its value. */
export function boxName(p: Profile, b: Boxes, i: number): string {
  const { tree } = p, short = (node: number) => {
    const forms = nameForms(tree.names[tree.row[node]])
    return forms[Math.max(forms.length - 2, 0)]
  }
  if (b.chain[i].length > 0) return printable(`${b.chain[i].length} ${p.frames ?? 'frames'}: ${short(b.chain[i][0])} … ${short(b.chain[i][b.chain[i].length - 1])}`)
  return b.row[i] < 0 ? 'all' : printable(tree.names[b.row[i]])
}

/** Draws the visible rows. */
export function paint(canvas: HTMLCanvasElement, look: Look, view: View) {
  const { boxes: b } = look, c = drawn(canvas, view.width, view.height, 12)
  c.textBaseline = 'middle'
  const last = Math.min(b.rows.length - 1, Math.ceil((view.top + view.height) / height))
  for (let depth = Math.floor(view.top / height); depth <= last; depth++) {
    for (const i of b.rows[depth] ?? []) box(c, look, i, depth * height - view.top, depth < look.ancestors)
  }
}

/** Draws a box. Rows above the root box are dimmed: their colour is nearer to the page's, and the text keeps its contrast. */
function box(c: CanvasRenderingContext2D, look: Look, i: number, y: number, dimmed: boolean) {
  const { boxes: b, profile, palette: p, search } = look, { tree } = profile
  const x = b.x[i], w = b.width[i], inner = w > 3 ? w - 1 : w, rows = b.chain[i].length > 0 ? b.chain[i].map(n => tree.row[n]) : [b.row[i]]
  const found = search !== null && rows.some(r => r >= 0 && search.test(tree.names[r])), hatched = b.node[i] < 0 || look.truncated.has(b.row[i])
  c.globalAlpha = dimmed ? 0.55 : 1
  c.fillStyle = found ? p.hit : hatched ? hatch(p.edge, p.soft) : fill(look, i)
  c.fillRect(x, y, inner, height - 1)
  c.globalAlpha = 1
  const same = look.hover >= 0 && b.row[look.hover] >= 0 && rows.includes(b.row[look.hover]), chosen = look.selected >= 0 && rows.includes(look.selected)
  if (same || chosen || found || i === look.hover || i === look.at) {
    c.strokeStyle = p.text
    c.lineWidth = i === look.at || found && chosen ? 3 : chosen || found ? 2 : 1
    const half = c.lineWidth / 2
    if (inner > 2 * half) c.strokeRect(x + half, y + half, inner - 2 * half, height - 1 - 2 * half)
  }
  const text = label(look, i, (w - 6) / character)
  if (!text) return
  if (hatched && !found) {
    c.fillStyle = p.soft
    c.fillRect(x + 2, y + 3, Math.min(c.measureText(text).width + 3, w - 4), height - 7)
  }
  c.fillStyle = found || look.change && !hatched ? textOnChange : p.text
  c.fillText(text, x + 3, y + height / 2, w - 4)
}

/** Returns the colour of a box. */
function fill(look: Look, i: number): string {
  const { boxes: b, profile, palette: p, color } = look, node = b.node[i], row = b.row[i]
  if (look.change) return changeColor(row < 0 ? 0 : look.change(node).part)
  if (row < 0) return p.states.waiting
  if (color === 'state') return shareColor(look.waiting[node] / profile.total[node], color, p)
  if (color === 'self') return shareColor(profile.self[node] / profile.total[node], color, p)
  return moduleColor(profile.tree.modules[row], look.neutral.has(profile.tree.modules[row]), p)
}

/** Returns the text in a box, "" if it is too narrow. */
function label(look: Look, i: number, characters: number): string {
  const { boxes: b, profile } = look
  if (characters < 4) return ''
  if (b.chain[i].length > 0) {
    const name = '▸ ' + boxName(profile, b, i), short = `▸ ${b.chain[i].length} ${profile.frames ?? 'frames'}`
    return name.length <= characters ? name : short.length <= characters ? short : ''
  }
  if (b.node[i] < 0) {
    const name = `${b.smaller[i]} smaller`, long = `${name}, ${percent(b.total[i], profile.sum)}`
    return long.length <= characters ? long : name.length <= characters ? name : ''
  }
  const name = boxName(profile, b, i), mark = look.change && b.row[i] >= 0 ? look.change(b.node[i]).label : ''
  if (mark) {
    const short = fit(name, characters - mark.length - 1)
    return short ? mark + ' ' + short : mark.length <= characters ? mark : ''
  }
  return fit(b.row[i] < 0 ? `all ${amount(b.total[i], profile.type?.unit ?? '')}` : name, characters)
}
