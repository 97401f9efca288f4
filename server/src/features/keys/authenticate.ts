import { Batcher } from '../../kernel/batcher.ts'
import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import type { Authenticate, Caller } from '../../kernel/http/access.ts'
import { foldScope } from '../../kernel/http/scopes.ts'
import { describeError } from '../../kernel/log.ts'
import { type Authority, findAuthorities, findAuthority } from './cross-workspace.ts'
import * as queries from './queries.ts'
import { refusal, revokedKey } from './refusals.ts'
import { hashSecret, isWellFormed } from './secret.ts'

/**
 * Reads the key for every request: a revocation holds at once, on every process. Requests that
 * arrive while a read is under way wait for the next one and share it, so a request is never judged
 * by a read that began before it arrived.
 */
export function createAuthenticator(ctx: ProcessContext): Authenticate {
  const authorities = new Batcher<string, Authority | undefined>(
    ctx,
    'authorities',
    async (hashes) => {
      const rows = await readAuthorities(ctx, [...new Set(hashes)])
      const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
      return hashes.map((hash) => found.get(hash))
    },
    { itemsMax: 10_000, gather: 'turn' },
  )
  const touch = createToucher(ctx)
  return async (secret) => {
    if (!isWellFormed(secret))
      throw refusal('invalid_key', 'The key is not valid; check for a typo.')
    const authority = await authorities.add(hashSecret(secret).toString('hex'))
    const caller = toCaller(authority, ctx.now())
    touch(caller, authority?.timestamp_last_used ?? null)
    return caller
  }
}

function readAuthorities(ctx: ProcessContext, hashes: string[]): Promise<Authority[]> {
  const [first, ...others] = hashes.map((hash) => Buffer.from(hash, 'hex'))
  if (!first) return Promise.resolve([])
  return others.length === 0
    ? findAuthority(ctx.db, first)
    : findAuthorities(ctx.db, [first, ...others])
}

function toCaller(authority: Authority | undefined, now: Date): Caller {
  if (!authority) throw refusal('invalid_key', 'The key is not valid; create one for this service.')
  if (authority.timestamp_revoked) throw revokedKey()
  if (authority.timestamp_expires && authority.timestamp_expires <= now) {
    throw refusal('expired_key', 'The key has expired; create a new one and replace it.')
  }
  return {
    workspaceId: authority.workspace_id,
    actor: { type: 'key', id: authority.key_id },
    rateKey: authority.workspace_id,
    scopes: new Set(authority.scopes.map(foldScope)),
    entitlements: new Set([
      ...(authority.plan_api ? ['api'] : []),
      ...(authority.plan_webhooks ? ['webhooks'] : []),
      ...(authority.plan_acquisition ? ['acquisition'] : []),
    ]),
    demands: new Set(authority.leadbank_scope_required ? ['leadbank'] : []),
    requestsMax: authority.plan_rate,
    expiresAt: authority.timestamp_expires,
  }
}

const touchEveryMs = 60_000
const touchedMax = 10_000

/** At most one write a minute and key, off the request's path. */
function createToucher(ctx: ProcessContext) {
  const touched = new Map<string, number>()
  return ({ workspaceId, actor }: Caller, lastUsed: Date | null) => {
    const now = ctx.now()
    const recent = Math.max(touched.get(actor.id) ?? 0, lastUsed?.getTime() ?? 0)
    if (now.getTime() - recent < touchEveryMs) return
    // What is forgotten costs a write more, and no more: the key's row says when it was used.
    if (touched.size >= touchedMax) touched.clear()
    touched.set(actor.id, now.getTime())
    queries
      .touchKey(inWorkspace(ctx, workspaceId).db, workspaceId, actor.id, now)
      .catch((error) => ctx.log.warn(describeError(error), 'last use of a key was not written'))
  }
}
