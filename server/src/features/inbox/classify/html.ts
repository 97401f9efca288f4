import sanitizeHtml, { type IOptions } from 'sanitize-html'
import { scanHtml } from '../../../kernel/html/scan.ts'
import { htmlToText } from '../../../kernel/html/text.ts'

/** The words of an HTML mail, without what it quotes: a line `>` stands there. */
export function textOfHtml(html: string): string {
  const read = html.slice(0, htmlMax)
  return htmlToText(read, scanHtml(read), { showsLinks: false, dropsQuotes: true })
}

/** What may be shown in a page: no script, no form, nothing that is loaded from elsewhere. */
export function safeHtml(html: string): string {
  return sanitized(html.slice(0, htmlMax), {
    allowedTags: [...sanitizeHtml.defaults.allowedTags, 'font', 'center'],
    allowedAttributes: {
      a: ['href', 'title', 'rel', 'target'],
      td: ['colspan', 'rowspan', 'align'],
      th: ['colspan', 'rowspan', 'align'],
      font: ['color', 'size'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    transformTags: {
      a: (tagName, { href = '', title }) => ({
        tagName,
        attribs: {
          // What is relative would lead into the page that it is shown in.
          ...(absolute.test(href) ? { href } : {}),
          ...(title === undefined ? {} : { title }),
          ...{ rel: 'noopener noreferrer nofollow', target: '_blank' },
        },
      }),
    },
  })
}

export const absolute = /^(?:https?:|mailto:|tel:)/i

export const htmlMax = 1_000_000

/**
 * The parser's work grows with the square of the depth, which somebody may use against us: of a mail
 * nested deeper than any is, only the text between the tags is left. The parser itself counts: what
 * looks like a tag may stand in a comment.
 */
export function sanitized(html: string, options: IOptions): string {
  let depth = 0
  const onOpenTag = () => {
    if (++depth > depthMax) throw new TooDeep()
  }
  const onCloseTag = () => {
    depth--
  }
  try {
    return sanitizeHtml(html, { ...options, onOpenTag, onCloseTag })
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    return sanitizeHtml(html.replace(/<[^<>]*>/g, ' ').replaceAll('<', ' '), options)
  }
}

class TooDeep extends Error {}

const depthMax = 500
