import { isOnWeb, withoutHandlers } from '../../lib/html.ts'
import { makeWordLists } from './word-lists.ts'

const styleSheet = /<style\b[\s\S]*?<\/style>/gi
const styleName = /(<[^>]*?\s)style(\s*=)/gi

/**
 * What is bold, slanted or underlined by style, as Google Docs writes it, in the elements that mails
 * have for that; tables as lines, and without images that many readers would not get. The page's policy
 * lets no style through, not even to be read: the editor would take all of a text for bold that Docs
 * wraps in a `<b>` which is not.
 */
export function pastedHtml(html: string): { html: string; lacksImage: boolean } {
  const unstyled = html.replaceAll(styleSheet, '').replaceAll(styleName, '$1data-style$2')
  const { body } = new DOMParser().parseFromString(withoutHandlers(unstyled), 'text/html')
  makeWordLists(body)
  for (const element of body.querySelectorAll('[data-style]')) {
    const style = element.getAttribute('data-style') ?? ''
    element.removeAttribute('data-style')
    if (element.matches('b, strong')) {
      if (lightWeight.test(style)) unwrap(element)
    } else if (element.matches('span')) {
      if (heavyWeight.test(style)) wrapContent(element, 'strong')
      if (/font-style:\s*italic/i.test(style)) wrapContent(element, 'em')
      // A link has a line of its own.
      if (underline.test(style) && !element.closest('a')) wrapContent(element, 'u')
    }
  }
  const images = [...body.querySelectorAll('img')]
  const lost = images.filter((image) => !isOnWeb(image.getAttribute('src') ?? ''))
  for (const image of lost) image.remove()
  // From the inside out: a table may stand in a cell of another.
  for (const table of [...body.querySelectorAll('table')].toReversed()) {
    table.replaceWith(...linesOf(table))
  }
  return { html: body.innerHTML, lacksImage: lost.length > 0 }
}

const lightWeight = /font-weight:\s*(normal|[1-5]00)/i
const heavyWeight = /font-weight:\s*(bold|[6-9]00)/i
const underline = /text-decoration(-line)?:[^;]*underline/i

/**
 * The rows of a table, which the editor has none of: it would write the words of all cells as one. Where
 * a row has one cell, or one of its cells has paragraphs, it makes the layout of a mail.
 */
function linesOf({ caption, rows }: HTMLTableElement): Element[] {
  const cells = [...rows].map((row) => [...row.cells])
  return [caption ? [caption] : [], ...cells].flatMap((row) => {
    const filled = row.filter((cell) => cell.textContent.trim() !== '' || cell.querySelector('img'))
    if (filled.length > 1) {
      // Office programs write a paragraph around the words of a cell.
      for (const cell of row) {
        const only = cell.querySelector(':scope > :is(p, div):only-child')
        // Words may stand beside the only element.
        if (only?.textContent.trim() === cell.textContent.trim()) unwrap(only)
      }
    }
    const [first, ...others] = row
    if (!first || filled.length < 2 || row.some((cell) => cell.querySelector(blocks)))
      return filled.map((cell) => wrapContent(cell, 'div'))
    for (const cell of others) first.append(' | ', ...cell.childNodes)
    return [wrapContent(first, 'p')]
  })
}

const blocks = 'p, div, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, pre, hr'

const unwrap = (element: Element) => element.replaceWith(...element.childNodes)

function wrapContent(element: Element, name: string): Element {
  const wrapper = element.ownerDocument.createElement(name)
  wrapper.append(...element.childNodes)
  element.append(wrapper)
  return wrapper
}
