import type { Context } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { judgeTarget } from '../../kernel/outbound/index.ts'
import { tryOutAt } from './try-out/address.ts'

export const urlCharactersMax = 2048

const lookupBudgetMs = 1_000

/** A sentence that says what is wrong with a target's text, or undefined (contract §3). */
export function problemWithUrl(text: string): string | undefined {
  if ([...text].length > urlCharactersMax) {
    return `target_hook_url must have at most ${urlCharactersMax} characters`
  }
  // The parser would repair these silently, and the text is answered as it was sent.
  if (/[\p{Cc}\s\\]/u.test(text) || !/^https?:\/\/[^/]/i.test(text)) return notUrl
  const url = URL.parse(text)
  if (!url) return notUrl
  const authority = /^[^/]*\/\/([^/?#]*)/.exec(text)?.[1] ?? ''
  if (authority.includes('@')) {
    return 'target_hook_url must not hold a user name or password; send them in headers'
  }
  if (text.includes('#')) return 'target_hook_url must not have a fragment (#…)'
}

/**
 * Asks the address policy, before any row is locked. It is only advice, because a name may resolve to
 * another address later: every connection is checked again. A name that does not resolve now passes.
 * A try-out receiver of the workspace is allowed, because nothing connects to it.
 *
 * @throws 400 `target_not_allowed`
 */
export async function requireAllowedTarget(ctx: Context, workspaceId: string, text: string) {
  if (tryOutAt(ctx, text)?.workspaceId === workspaceId) return
  const { outbound } = ctx.config
  const verdict = await judgeTarget(outbound, ctx.lookup, new URL(text), lookupBudgetMs)
  if (verdict !== 'refused') return
  const message =
    'target_hook_url leads to an address that events are not sent to; use a public one, ' +
    'or let the operator list it in OUTBOUND_ALLOW, which opens no link-local or metadata address.'
  throw new AppError('target_not_allowed', message, {
    details: [{ path: '/target_hook_url', message }],
  })
}

const notUrl = 'target_hook_url must be an absolute http or https URL, as https://example.com/hooks'
