import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sha256 } from '../crypto.ts'
import { transaction } from '../db/transaction.ts'
import { untilStored } from '../db/until-stored.ts'
import { AppError } from '../errors.ts'
import { parseJsonText } from '../json/parse-json-text.ts'
import { canonicalJson } from '../json/strict-json.ts'
import { describeError } from '../log.ts'
import * as queries from './idempotency-queries.ts'
import { keptMs, purposeOf } from './kept-answers.ts'

/**
 * `transaction`: the answer is kept in the transaction that does the work, so a crash never runs it
 * twice. `lease`: the work calls the network, so a committed mark of 60 s stands in its place, which is
 * renewed while the work goes on. `none`:
 * the answer is a stream, and asking twice does no harm, or the verb keeps to the key itself.
 */
export type IdempotencyMode = 'transaction' | 'lease' | 'none'

const leaseMs = 60_000
/** Two may be missed. */
const renewMs = 20_000
/** A client waits so much longer for its answer while the database is away; the lease lasts longer. */
const keepForMs = 20_000

/** Takes the secrets out of an answer before it is kept. */
export type Mask = (body: Record<string, unknown>) => Record<string, unknown>

type Handler = (req: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What a handler needs from the network: it runs before the transaction, never within. */
export type Prepare = (req: FastifyRequest) => Promise<void>

export interface IdempotencyOptions {
  mode: Exclude<IdempotencyMode, 'none'>
  mask: Mask
  prepare: Prepare | undefined
}

/** Wraps a POST handler; without the header it runs as it is. */
export function withIdempotency(handler: Handler, options: IdempotencyOptions): Handler {
  const { mode, mask, prepare } = options
  return async (req, reply) => {
    judged.add(req)
    const key = readKey(req.headers['idempotency-key'])
    if (key === undefined) {
      await prepare?.(req)
      return handler(req, reply)
    }
    const keyed = keyedRequest(req, key)
    if (prepare) {
      // Nothing is asked of the network for an answer that is kept.
      const kept = await readKept(req.ctx, keyed)
      if (kept) return replay(req.ctx, keyed, kept, reply)
      await prepare(req)
    }
    const run = mode === 'transaction' ? runInTransaction : runUnderLease
    return run(req, reply, keyed, handler, mask)
  }
}

/** A person's request to a route that belongs to no workspace, because it makes one. */
export interface MakingRequest {
  req: FastifyRequest
  reply: FastifyReply
  userId: string
}

/** Keeps the answer in the workspace that was made, in the transaction that made it. */
export async function keepMade(tx: Context, by: MakingRequest, made: { id: string }) {
  const keyed = keyedMaking(by, made.id)
  if (!keyed) return
  const answer = answerToKeep(tx, keyed, by.reply.statusCode, made, (body) => body)
  await queries.upsertAnswer(tx.db, answer)
}

/**
 * What this request was answered before.
 *
 * @returns undefined: it did not make this workspace
 */
export async function findMade<Made extends { id: string }>(
  ctx: Context,
  by: MakingRequest,
  { id }: Made,
): Promise<Made | undefined> {
  const keyed = keyedMaking(by, id)
  const kept = keyed && (await readKept(ctx, keyed))
  return kept && (replay(ctx, keyed, kept, by.reply) as Made)
}

/** The key of one person is nobody else's. */
function keyedMaking({ req, userId }: MakingRequest, workspaceId: string) {
  const key = readKey(req.headers['idempotency-key'])
  return key === undefined ? undefined : keyedRequest(req, `${userId} ${key}`, workspaceId)
}

/** Requests whose key was looked at, or is about to be. */
const judged = new WeakSet<FastifyRequest>()

/**
 * Of a request whose parameters or body were refused: its key is judged before them (contract §1). What
 * was answered for the key was another request, since that one was valid.
 *
 * @returns undefined: the key says nothing against it
 */
export async function findConflict(req: FastifyRequest): Promise<AppError | undefined> {
  const { access, idempotency } = req.routeOptions.config
  if (req.method !== 'POST' || !access || idempotency === 'none' || judged.has(req)) return
  if (!req.authenticated) return
  try {
    const key = readKey(req.headers['idempotency-key'])
    if (key === undefined) return
    const keyed = keyedRequest(req, key)
    return (await transaction(req.ctx, (tx) => claim(tx, keyed))) && reused()
  } catch (error) {
    // Whatever else goes wrong, the request was refused for what it is.
    return error instanceof AppError && conflicts.has(error.code) ? error : undefined
  }
}

const conflicts = new Set<string>(['idempotency_key_reused', 'idempotency_key_in_progress'])

/** 1–255 visible characters, quoted (RFC 8941 string) or bare. */
export function readKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return
  const bare = /^"((?:[^"\\]|\\["\\])*)"$/.exec(String(header))?.[1] ?? String(header)
  const isOpenString = bare.startsWith('"') && bare === String(header)
  if (!isOpenString && /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(bare)) return bare
  throw new AppError(
    'malformed_request',
    'Idempotency-Key must be 1 to 255 visible characters, in quotes that are closed or without.',
  )
}

/** What a request with a key is known by. */
interface KeyedRequest {
  workspaceId: string
  keyHash: Buffer
  lock: string
  fingerprint: Buffer
}

function keyedRequest(
  req: FastifyRequest,
  key: string,
  workspaceId = req.caller.workspaceId,
): KeyedRequest {
  const [path = '', query = ''] = req.url.split(/\?(.*)/s)
  const parameters = new URLSearchParams(query)
  parameters.sort()
  const asked = parameters.size === 0 ? '' : `?${parameters}`
  return {
    workspaceId,
    keyHash: sha256(key),
    lock: sha256(`${workspaceId} ${key}`).readBigInt64BE(0).toString(),
    fingerprint: sha256(
      `${req.method} ${path.replace(/\/$/, '')}${asked} ${canonicalJson(req.body ?? null)}`,
    ),
  }
}

async function runInTransaction(
  req: FastifyRequest,
  reply: FastifyReply,
  keyed: KeyedRequest,
  handler: Handler,
  mask: Mask,
): Promise<unknown> {
  return transaction(req.ctx, async (tx) => {
    const kept = await claim(tx, keyed)
    if (kept) return replay(tx, keyed, kept, reply)
    req.ctx = tx
    const body = await handler(req, reply)
    await queries.upsertAnswer(tx.db, answerToKeep(tx, keyed, reply.statusCode, body, mask))
    return body
  })
}

/**
 * A lease has an owner: a request that could not renew its lease may find that the next one has taken
 * over, and must then neither free the key nor put its answer in the place of the other's.
 */
async function runUnderLease(
  req: FastifyRequest,
  reply: FastifyReply,
  keyed: KeyedRequest,
  handler: Handler,
  mask: Mask,
): Promise<unknown> {
  const { ctx } = req
  const mark = markOf(ctx, keyed)
  const kept = await transaction(ctx, async (tx) => {
    const found = await claim(tx, keyed)
    if (!found) await queries.upsertAnswer(tx.db, mark)
    return found
  })
  if (kept) return replay(ctx, keyed, kept, reply)
  const work = new AbortController()
  void renewUntil(ctx, mark, work.signal)
  try {
    const body = await handler(req, reply).catch(async (error) => {
      // Where the database is away, the lease ends by itself.
      await queries
        .deleteMark(ctx.db, mark.lease_owner, mark)
        .catch((failure) => ctx.log.warn(describeError(failure), 'a key could not be freed'))
      throw error
    })
    const answer = answerToKeep(ctx, keyed, reply.statusCode, body, mask)
    const keep = () => queries.replaceMark(ctx.db, mark.lease_owner, { ...answer, day: mark.day })
    // The work is done, whether or not that can be written down: its key is not freed for it.
    await untilStored(ctx, keepForMs, keep).catch((error) =>
      ctx.log.error(describeError(error), 'an answer could not be kept for its idempotency key'),
    )
    return body
  } finally {
    work.abort()
  }
}

/** Work that takes minutes, such as a large replay, is not done twice because somebody asks again. */
async function renewUntil(ctx: Context, mark: ReturnType<typeof markOf>, ended: AbortSignal) {
  for (;;) {
    await ctx.sleep(renewMs, ended)
    if (ended.aborted) return
    const until = new Date(ctx.now().getTime() + leaseMs)
    // What fails now may succeed the next time.
    await queries.renewMark(ctx.db, mark.lease_owner, mark, until).catch(() => undefined)
  }
}

interface Kept {
  status: number
  answer: Buffer
}

/** The kept answer, or undefined when the key is free and now ours until the transaction ends. */
async function claim(tx: Context, keyed: KeyedRequest): Promise<Kept | undefined> {
  if (!(await queries.tryLockKey(tx.db, keyed.lock))) throw inProgress()
  return readKept(tx, keyed)
}

/** @throws AppError when the key is in use, or was used for another request */
async function readKept(tx: Context, keyed: KeyedRequest): Promise<Kept | undefined> {
  const since = new Date(tx.now().getTime() - keptMs)
  const found = await queries.findAnswer(tx.db, keyed.workspaceId, keyed.keyHash, since)
  if (!found) return
  if (found.status === null || found.answer === null) {
    const leftMs = (found.in_progress_until?.getTime() ?? 0) - tx.now().getTime()
    if (leftMs > 0) throw inProgress(leftMs)
    return
  }
  if (!found.fingerprint.equals(keyed.fingerprint)) throw reused()
  return { status: found.status, answer: found.answer }
}

const reused = () =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key was used for another request; take a new key.',
  )

/** @param leftMs of a lease: one that has missed two renewals is of a process that is gone */
const inProgress = (leftMs = leaseMs) =>
  new AppError(
    'idempotency_key_in_progress',
    'The first request with this Idempotency-Key is still running; ask again shortly.',
    leftMs > leaseMs - 2 * renewMs
      ? {}
      : { headers: { 'retry-after': String(Math.ceil(leftMs / 1000)) } },
  )

const markOf = (ctx: Context, keyed: KeyedRequest) => ({
  workspace_id: keyed.workspaceId,
  day: dayOf(ctx.now()),
  key_hash: keyed.keyHash,
  fingerprint: keyed.fingerprint,
  status: null,
  answer: null,
  in_progress_until: new Date(ctx.now().getTime() + leaseMs),
  lease_owner: ctx.newId(),
  timestamp_created: ctx.now(),
})

function answerToKeep(
  ctx: Context,
  keyed: KeyedRequest,
  status: number,
  body: unknown,
  mask: Mask,
): queries.AnswerToKeep {
  const masked = mask({ ...(body as Record<string, unknown>) })
  return {
    workspace_id: keyed.workspaceId,
    day: dayOf(ctx.now()),
    key_hash: keyed.keyHash,
    fingerprint: keyed.fingerprint,
    status,
    answer: ctx.secrets.seal(JSON.stringify(masked), purposeOf(keyed)),
    in_progress_until: null,
    lease_owner: null,
    timestamp_created: ctx.now(),
  }
}

function replay(ctx: Context, keyed: KeyedRequest, kept: Kept, reply: FastifyReply): unknown {
  reply.code(kept.status).header('idempotency-replayed', 'true')
  return parseJsonText(ctx.secrets.open(kept.answer, purposeOf(keyed)))
}

const dayOf = (time: Date) => time.toISOString().slice(0, 10)
