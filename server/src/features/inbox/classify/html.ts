import sanitizeHtml from 'sanitize-html'

/** The words of an HTML mail, without what it quotes. */
export function textOfHtml(html: string): string {
  const words = sanitizeHtml(flat(html.slice(0, htmlMax)).replace(lineEnds, '\n'), {
    allowedTags: [],
    allowedAttributes: {},
    nonTextTags: ['style', 'script', 'textarea', 'option', 'noscript', 'title', 'blockquote'],
  })
  return unescaped(words)
    .replace(/[ \t\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** What may be shown in a page: no script, no form, nothing that is loaded from elsewhere. */
export function safeHtml(html: string): string {
  return sanitizeHtml(flat(html.slice(0, htmlMax)), {
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

const absolute = /^(?:https?:|mailto:|tel:)/i

const htmlMax = 1_000_000

/**
 * The parser's work grows with the square of the depth, which somebody may use against us: of a mail
 * nested deeper than any is, only the text between the tags is left.
 */
function flat(html: string): string {
  const open = new Map<string, number>()
  let depth = 0
  let last = ''
  for (const [, end, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]{0,20})/gi)) {
    const tag = name.toLowerCase()
    const count = open.get(tag) ?? 0
    const isNext = tag === last && closedByNext.has(tag)
    if (empty.has(tag) || (end ? count === 0 : isNext)) continue
    last = end ? '' : tag
    open.set(tag, count + (end ? -1 : 1))
    depth += end ? -1 : 1
    if (depth > depthMax) return html.replace(/<[^<>]*>/g, ' ')
  }
  return html
}

const depthMax = 500
const empty = new Set(['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta'])
const closedByNext = new Set(['p', 'li', 'dd', 'dt', 'td', 'th', 'tr', 'option'])

const lineEnds = /<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6]|table|ul|ol)\s*>/gi

const unescaped = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
