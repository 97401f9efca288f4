import { decodeEntities } from '../../../kernel/html/entities.ts'
import type { HtmlPiece } from '../../../kernel/html/scan.ts'

/**
 * Puts other addresses behind the links of a text: those of `<a href>` to http and https, and
 * nothing else of it.
 *
 * Links beyond the first thousand stay as they are: each takes a signature of its own.
 *
 * @param rewrite answers the address to put there, or the same one
 */
export function rewriteLinks(
  html: string,
  pieces: HtmlPiece[],
  rewrite: (url: string) => string,
): string {
  let out = ''
  let at = 0
  let rewritten = 0
  for (const { name, isEnd, attributes } of pieces) {
    if (name !== 'a' || isEnd) continue
    const href = attributes.find((attribute) => attribute.name === 'href')
    if (!href) continue
    const url = decodeEntities(html.slice(href.from, href.to)).trim()
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) continue
    const target = rewritten < linksMax ? rewrite(url) : url
    if (target === url) continue
    rewritten++
    out += html.slice(at, href.from) + target
    at = href.to
  }
  return out + html.slice(at)
}

const linksMax = 1000
