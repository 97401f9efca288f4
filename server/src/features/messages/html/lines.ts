import type { HtmlPiece } from '../../../kernel/html/scan.ts'
import { scanHtml } from '../../../kernel/html/scan.ts'
import { lineEnd } from '../../campaigns/index.ts'

/**
 * Whether the author of a body wrote HTML: there is a tag or a comment in it. An address in angle
 * brackets is none.
 */
export function isHtml(body: string): boolean {
  const text = body.replace(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g, '')
  return scanHtml(text).some(({ name, start }) =>
    name === '' ? text.startsWith('<!', start) : /^[a-z][a-z\d-]*$/.test(name),
  )
}

/** A rendered body with its line ends where a reader sees them: not within tags, not in what is preformatted. */
export function showLines(html: string): string {
  if (!html.includes(lineEnd)) return html
  let out = ''
  let at = 0
  let preformatted = 0
  const text = (to: number) => {
    const part = html.slice(at, to)
    return part.replaceAll(lineEnd, preformatted > 0 ? '\n' : '<br>\n')
  }
  for (const piece of scanHtml(html)) {
    out += text(piece.start) + html.slice(piece.start, piece.end).replaceAll(lineEnd, '\n')
    at = piece.end
    preformatted = Math.max(0, preformatted + depthOf(piece))
  }
  return out + text(html.length)
}

const depthOf = ({ name, isEnd }: HtmlPiece) => (name !== 'pre' ? 0 : isEnd ? -1 : 1)
