import { withoutHandlers } from '../../lib/html.ts'
import type { RichTextKind } from './extensions.ts'

// Between a template, which is HTML with {{…}} in its text, and what the editor holds, where each of
// those is an element of its own.

const tag = /<(?:"[^"]*"|'[^']*'|[^'">])*>/g

export function toEditor(template: string, kind: RichTextKind): string {
  if (kind === 'plain') return template
  let html = ''
  let end = 0
  for (const match of template.matchAll(tag)) {
    html += withChips(template.slice(end, match.index)) + match[0]
    end = match.index + match[0].length
  }
  return html + withChips(template.slice(end))
}

const withChips = (text: string) =>
  text.replaceAll(
    /\{\{([^{}]*)\}\}/g,
    (_, expression: string) => `<span data-variable="${escaped(expression)}"></span>`,
  )

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

/** What stands in braces is the template's own language: not a sign of it may be escaped. */
export const fromEditor = (html: string, kind: RichTextKind): string =>
  kind === 'plain'
    ? html
    : html.replaceAll(
        /<span data-variable="([^"]*)"[^>]*>[^<]*<\/span>/g,
        (_, expression: string) =>
          `{{${expression.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')}}}`,
      )

/** A document in one spelling, however it is written: what tells whether an editor gives back what it was given. */
export function normalHtml(template: string, kind: RichTextKind): string {
  const parsed = new DOMParser().parseFromString(toEditor(template, kind), 'text/html')
  const { innerHTML } = parsed.body
  // Where a line of the source ends is seen in nothing but <pre>.
  const html = /<pre\b/i.test(innerHTML) ? innerHTML : innerHTML.replaceAll(/[ \t\r\n]+/g, ' ')
  return html.replaceAll(/>\s+</g, '><').trim()
}

/** As a mail program without HTML shows it, more or less: the server makes the real one. */
export function plainText(template: string): string {
  const { body } = new DOMParser().parseFromString(withoutHandlers(template), 'text/html')
  for (const link of body.querySelectorAll('a[href]')) {
    const href = link.getAttribute('href')
    if (href !== link.textContent) link.append(` <${href}>`)
  }
  for (const image of body.querySelectorAll('img')) image.replaceWith(image.alt)
  for (const element of body.querySelectorAll('br')) element.replaceWith('\n')
  for (const element of body.querySelectorAll('li')) element.prepend('- ')
  for (const element of body.querySelectorAll('p, div, h1, h2, h3, ul, ol, blockquote'))
    element.append('\n\n')
  for (const element of body.querySelectorAll('li')) element.append('\n')
  return (body.textContent ?? '').replaceAll(/\n{3,}/g, '\n\n').trim()
}
