import { Batcher } from '../../kernel/batcher.ts'
import {
  inWorkspace,
  type OpenShard,
  type ProcessContext,
  type Shards,
} from '../../kernel/context.ts'
import { movingOf } from '../../kernel/db/failure.ts'
import type { Authenticate, Caller } from '../../kernel/http/access.ts'
import { describeError } from '../../kernel/log.ts'
import { createShardCheck } from '../../kernel/shards/ask.ts'
import { entitlementsOf } from '../workspaces/plan/index.ts'
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
  const find = ctx.shards ? findOnShards(ctx.shards) : findOnOne(ctx)
  const requireAllShards = createShardCheck(ctx)
  const touch = createToucher()
  return async (secret) => {
    if (!isWellFormed(secret))
      throw refusal('invalid_key', 'The key is not valid; check for a typo.')
    const found = await find(hashSecret(secret).toString('hex'))
    if (!found) await requireAllShards()
    const caller = toCaller(found?.authority, ctx.now())
    const { ctx: own = ctx, authority } = found ?? {}
    touch(own, caller, authority?.timestamp_last_used ?? null)
    return ctx.shards ? { ...caller, shard: own } : caller
  }
}

/** A key and where it was found. */
interface Found {
  authority: Authority
  ctx: ProcessContext
}

type Find = (hash: string) => Promise<Found | undefined>

function findOnOne(ctx: ProcessContext): Find {
  const find = findOn(ctx)
  return async (hash) => {
    const authority = await find(hash)
    return authority && { authority, ctx }
  }
}

function findOn(ctx: ProcessContext): (hash: string) => Promise<Authority | undefined> {
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
  return (hash) => authorities.add(hash)
}

/** Of keys whose shard is remembered; what is forgotten costs a question to each shard. */
const rememberedMax = 100_000

/**
 * Asks the shard on which a key was found last, else all of them, each by reads of its own: one that
 * is down holds up no key of another. A key that nobody has while one does not answer is not invalid.
 */
function findOnShards(shards: Shards): Find {
  const finders = new Map<string, ReturnType<typeof findOn>>()
  const findOnShard = ({ name, ctx }: OpenShard, hash: string) => {
    const find = finders.get(name) ?? findOn(ctx)
    finders.set(name, find)
    return find(hash)
  }
  const remembered = new Map<string, OpenShard>()
  return async (hash) => {
    const last = remembered.get(hash)
    const located = await shards.locate(last, (shard) => findOnShard(shard, hash))
    if (!located) return undefined
    const { shard, answer: authority } = located
    if (shard !== last) {
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(hash, shard)
    }
    return { authority, ctx: shard.ctx }
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
    scopes: new Set(authority.scopes),
    entitlements: entitlementsOf(authority),
    demands: new Set(authority.leadbank_scope_required ? ['leadbank'] : []),
    requestsMax: authority.plan_rate,
    expiresAt: authority.timestamp_expires,
  }
}

const touchEveryMs = 60_000
const touchedMax = 10_000

/** At most one write a minute and key, off the request's path. */
function createToucher() {
  const touched = new Map<string, number>()
  return (ctx: ProcessContext, { workspaceId, actor }: Caller, lastUsed: Date | null) => {
    const now = ctx.now()
    const recent = Math.max(touched.get(actor.id) ?? 0, lastUsed?.getTime() ?? 0)
    if (now.getTime() - recent < touchEveryMs) return
    // What is forgotten costs a write more, and no more: the key's row says when it was used.
    if (touched.size >= touchedMax) touched.clear()
    touched.set(actor.id, now.getTime())
    queries
      .touchKey(inWorkspace(ctx, workspaceId).db, workspaceId, actor.id, now)
      .catch((error) => {
        // It is noted where the workspace goes.
        if (movingOf(error) !== undefined) return
        ctx.log.warn(describeError(error), 'last use of a key was not written')
      })
  }
}
