import { withoutHandlers } from '../../lib/html.ts'

const styleSheet = /<style\b[\s\S]*?<\/style>/gi
const styleName = /(<[^>]*?\s)style(\s*=)/gi

/**
 * What is bold, slanted or underlined by style, as Google Docs writes it, in the elements that mails
 * have for that. The page's policy lets no style through, not even to be read: the editor would take
 * all of a text for bold that Docs wraps in a `<b>` which is not.
 */
export function pastedHtml(html: string): string {
  const unstyled = html.replaceAll(styleSheet, '').replaceAll(styleName, '$1data-style$2')
  const { body } = new DOMParser().parseFromString(withoutHandlers(unstyled), 'text/html')
  for (const element of body.querySelectorAll('[data-style]')) {
    const style = element.getAttribute('data-style') ?? ''
    element.removeAttribute('data-style')
    if (element.matches('b, strong')) {
      if (lightWeight.test(style)) element.replaceWith(...element.childNodes)
    } else if (element.matches('span')) {
      if (heavyWeight.test(style)) wrapContent(element, 'strong')
      if (/font-style:\s*italic/i.test(style)) wrapContent(element, 'em')
      // A link has a line of its own.
      if (underline.test(style) && !element.closest('a')) wrapContent(element, 'u')
    }
  }
  return body.innerHTML
}

const lightWeight = /font-weight:\s*(normal|[1-5]00)/i
const heavyWeight = /font-weight:\s*(bold|[6-9]00)/i
const underline = /text-decoration(-line)?:[^;]*underline/i

function wrapContent(element: Element, name: 'strong' | 'em' | 'u') {
  const wrapper = element.ownerDocument.createElement(name)
  wrapper.append(...element.childNodes)
  element.append(wrapper)
}
