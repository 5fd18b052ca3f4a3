// The clipboard.

/** Copies a text. A page of another machine has no clipboard: there a text field is copied. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea'), focused = document.activeElement as HTMLElement | null
  field.value = text
  field.className = 'hidden'
  document.body.append(field)
  field.select()
  document.execCommand('copy')
  field.remove()
  focused?.focus()
}
