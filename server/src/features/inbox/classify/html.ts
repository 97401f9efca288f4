import sanitizeHtml from 'sanitize-html'

/** The words of an HTML mail, without what it quotes. */
export function textOfHtml(html: string): string {
  const words = sanitizeHtml(html.slice(0, htmlMax).replace(lineEnds, '\n'), {
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
  return sanitizeHtml(html.slice(0, htmlMax), {
    allowedTags: [...sanitizeHtml.defaults.allowedTags, 'font', 'center'],
    allowedAttributes: {
      a: ['href', 'title'],
      td: ['colspan', 'rowspan', 'align'],
      th: ['colspan', 'rowspan', 'align'],
      font: ['color', 'size'],
    },
    allowedSchemes: ['http', 'https', 'mailto', 'tel'],
    transformTags: {
      a: sanitizeHtml.simpleTransform('a', {
        rel: 'noopener noreferrer nofollow',
        target: '_blank',
      }),
    },
  })
}

const htmlMax = 1_000_000

const lineEnds = /<br\s*\/?>|<\/(?:p|div|li|tr|h[1-6]|table|ul|ol)\s*>/gi

const unescaped = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot);/g, (entity) => entities[entity] ?? entity)

const entities: Record<string, string> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' }
