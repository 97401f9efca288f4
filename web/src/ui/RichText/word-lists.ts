const listStyle = /mso-list:\s*(l\d+)\s+level(\d)(\s+lfo\d+)?/i
/** What stands last in `2.1.`; a lone letter is a bullet. */
const numbered = /(?:(\d+)|([a-z]+)[.)])\W*$/i

/** Word writes a list as paragraphs with their bullets and numbers in front; here they become one. */
export function makeWordLists(body: HTMLElement) {
  const { ownerDocument } = body
  /** Where the last item stands, from the outermost. */
  const open: { list: Element; level: number; id: string }[] = []
  for (const paragraph of body.querySelectorAll('p[data-style*="mso-list"]')) {
    const style = listStyle.exec(paragraph.getAttribute('data-style') ?? '')
    const level = Number(style?.[2])
    const id = `${style?.[1]}${style?.[3]}`
    const marker = paragraph.querySelector('[data-style*="mso-list:Ignore" i]')
    if (!level || !marker) continue
    const number = numbered.exec(marker.textContent)
    const name = number ? 'ol' : 'ul'
    // Something else stands between them.
    if (paragraph.previousElementSibling !== open[0]?.list) open.length = 0
    while ((open.at(-1)?.level ?? 0) > level) open.pop()
    const last = open.at(-1)
    if (last?.level !== level || last.id !== id || last.list.localName !== name) {
      if (last?.level === level) open.pop()
      const list = ownerDocument.createElement(name)
      const [, digits, letters = ''] = number ?? []
      if (Number(digits) > 1) list.setAttribute('start', `${digits}`)
      if (/^[ai]$/i.test(letters)) list.setAttribute('type', letters)
      const above = open.at(-1)?.list.lastElementChild
      if (above) above.append(list)
      else paragraph.before(list)
      open.push({ list, level, id })
    }
    marker.remove()
    const item = ownerDocument.createElement('li')
    item.append(...paragraph.childNodes)
    paragraph.remove()
    open.at(-1)?.list.append(item)
  }
}
