import type { Config } from '../config.ts'
import type { SecretBox } from './crypto.ts'
import { type AnyDb, bind, type Db, type ProcessDb } from './db/db.ts'
import type { Log } from './log.ts'
import type { MailNetwork } from './mail/mail.ts'
import type { Metrics } from './metrics.ts'
import type { LookupFn, MailLookupFn, OutboundHttp, TextLookupFn } from './outbound/index.ts'
import type { ProcessMark } from './runner/process-mark.ts'
import type { ShardOf, ShardsOf } from './shards/shards.ts'
import type { Troubles } from './troubles.ts'

/**
 * What every feature may use. Built once per process by an entry point and passed as the first
 * argument: time, randomness, the network and the database come from here and from nowhere else.
 *
 * Code says in this type for whom it works: `Context` for one workspace, `ProcessContext` for the
 * process, `AnyContext` where that makes no difference.
 */
export interface AnyContext {
  config: Config
  /** The pool, or inside `transaction()` the open transaction. */
  db: AnyDb
  /** The context that a bound one was made from. */
  process?: ProcessContext
  /** A few connections around the pooler that `db` goes through; undefined: there is no pooler. */
  directDb?: ProcessDb
  /** The databases that workspaces lie on; undefined: there is one. */
  shards?: Shards
  /** Which of them `db` is. */
  shard?: string
  /** The database's time as this process knows it. */
  now: () => Date
  /** The time by which others judge what is sent to them, where `now` is another, as in the sandbox. */
  worldTime?: () => Date
  /** Milliseconds that only ever grow, also while the machine sleeps; for durations and deadlines. */
  monotonicMs: () => number
  /** Uniform in [0, 1). */
  random: () => number
  /** A UUIDv7 of `now()`. */
  newId: () => string
  /** Resolves early, without an error, when the signal is aborted. */
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  http: OutboundHttp
  mail: MailNetwork
  /** Names to addresses, where a target is judged before anything connects to it. */
  lookup: LookupFn
  /** Domains to the servers that take their mail. */
  lookupMail: MailLookupFn
  /** Names to their TXT records. */
  lookupText: TextLookupFn
  secrets: SecretBox
  /** Hashes of people's passwords, for tests, which make hundreds. Undefined, as no setting can change: scrypt. */
  passwords?: Passwords
  /** Tells other processes when this one is gone; undefined: they wait for its leases to end. */
  processMark?: ProcessMark | undefined
  /** Why this process is not ready although it answers. */
  troubles?: Troubles
  /** What any process was told that has to hold for all, by the names of the environment. */
  keptSettings: Map<string, string>
  log: Log
  metrics: Metrics
  /** Present inside `transaction()`: runs after the commit, never after a rollback. */
  afterCommit?: (effect: AfterCommit) => void
}

/** How a password is kept, and whether it is the one that was. */
export interface Passwords {
  hash: (password: string) => Promise<string>
  verify: (kept: { hash: string; password: string }) => Promise<boolean>
}

/** For work in one workspace: its handle is bound to it. Made by `inWorkspace`. */
export interface Context extends AnyContext {
  db: Db
}

/** The context of work that belongs to no workspace, or to many at once. */
export interface ProcessContext extends AnyContext {
  db: ProcessDb
}

/** The databases that workspaces lie on. */
export type Shards = ShardsOf<ProcessContext>

/** One of them. */
export type OpenShard = ShardOf<ProcessContext>

/** Gets the process's context outside the transaction, which is over by then. */
export type AfterCommit = (ctx: ProcessContext) => void

/**
 * Binds a context to one workspace; inside a transaction it stays the same transaction.
 *
 * @throws when it is bound to another
 */
export function inWorkspace(ctx: AnyContext, workspaceId: string): Context {
  const db = bind(ctx.db, workspaceId)
  return { ...ctx, db, process: processOf(ctx) }
}

/** The context of the process, for what is gathered from all workspaces, such as hints. */
export const processOf = (ctx: AnyContext): ProcessContext => ctx.process ?? (ctx as ProcessContext)

/**
 * Where what belongs to the installation lies, such as the people who sign in: on the first of several
 * databases. There, and where there is one, it is the same context, with the transaction that is open.
 */
export const onFirstShard = (ctx: AnyContext): AnyContext =>
  !ctx.shards || ctx.shards.first.ctx.shard === ctx.shard ? ctx : ctx.shards.first.ctx

/** At the doors, where a request has just said which workspace it is about. */
export const enterWorkspace = async (ctx: ProcessContext, workspaceId: string): Promise<Context> =>
  inWorkspace(ctx.shards ? await ctx.shards.of(workspaceId) : ctx, workspaceId)

/** A context that goes around a pooler, which may end what takes long and keeps no session. */
export const aroundPooler = (ctx: ProcessContext): ProcessContext => ({
  ...ctx,
  db: ctx.directDb ?? ctx.db,
})
