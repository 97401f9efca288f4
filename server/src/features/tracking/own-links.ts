import type { AnyContext } from '../../kernel/context.ts'
import { tokenBoxOf } from './links.ts'
import { escapeHtml } from './pages.ts'
import type { Token } from './token.ts'

/**
 * The HTML of a mail that somebody of the team looks at, who is not whom its links are for: images of
 * ours are none, clicks lead where they lead at once, and nobody unsubscribes. A token is known by
 * itself, so it is no matter which address of ours it stands behind, nor whether a mail gateway has put
 * its own address around it, as Safe Links does: then that one goes with it, as a whole.
 */
export function withoutOwnLinks(ctx: Pick<AnyContext, 'secrets'>, html: string): string {
  const tokens = tokenBoxOf(ctx)
  let kept = ''
  let end = 0
  let tries = 0
  for (const found of html.matchAll(/(\/|%2F)[ocu]\1([\w-]{80,4000})(?:\.gif)?/gi)) {
    if (++tries > triesMax) break
    const token = tokens.read(found[2] ?? '')
    if (!token) continue
    const before = html.slice(Math.max(end, found.index - addressCharactersMax), found.index)
    const address = /(?:https?:)?\/\/[^\s"'<>]*$/i.exec(before)?.[0] ?? ''
    kept += html.slice(end, found.index - address.length) + harmless(token)
    end = found.index + found[0].length
    if (found[1] !== '/') end += /^[^\s"'<>]*/.exec(html.slice(end))?.[0].length ?? 0
  }
  return kept + html.slice(end)
}

/** Of links in one mail: more than a long conversation quotes, and few enough to hold up nobody. */
const triesMax = 200

/** What stands before the path of a link. */
const addressCharactersMax = 300

const harmless = ({ kind, text }: Token) => (kind === 'click' ? escapeHtml(text) : '')
