const listStyle = /mso-list:\s*l\d+\s+level(\d)/i

/** Word writes a list as paragraphs with their bullets and numbers in front; here they become one. */
export function makeWordLists(body: HTMLElement) {
  const { ownerDocument } = body
  /** Where the last item stands, from the outermost. */
  const open: { list: Element; level: number }[] = []
  for (const paragraph of body.querySelectorAll('p[data-style*="mso-list"]')) {
    const level = Number(listStyle.exec(paragraph.getAttribute('data-style') ?? '')?.[1])
    const marker = paragraph.querySelector('[data-style*="mso-list:Ignore" i]')
    if (!level || !marker) continue
    const number = /^\W*(\w+)[.)]/.exec(marker.textContent)?.[1]
    const name = number === undefined ? 'ul' : 'ol'
    // Something else stands between them.
    if (paragraph.previousElementSibling !== open[0]?.list) open.length = 0
    while ((open.at(-1)?.level ?? 0) > level) open.pop()
    const last = open.at(-1)
    if (last?.level !== level || last.list.localName !== name) {
      if (last?.level === level) open.pop()
      const list = ownerDocument.createElement(name)
      if (Number(number) > 1) list.setAttribute('start', `${number}`)
      const above = open.at(-1)?.list.lastElementChild
      if (above) above.append(list)
      else paragraph.before(list)
      open.push({ list, level })
    }
    marker.remove()
    const item = ownerDocument.createElement('li')
    item.append(...paragraph.childNodes)
    paragraph.remove()
    open.at(-1)?.list.append(item)
  }
}
