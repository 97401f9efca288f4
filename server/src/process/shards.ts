import { type Config, firstShardName, type ShardAddress } from '../config.ts'
import type { OpenShard, ProcessContext } from '../kernel/context.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { explainUnavailable, isReadOnly } from '../kernel/db/failure.ts'
import { findInstance } from '../kernel/db/instance.ts'
import { describeError, type Log, withFields } from '../kernel/log.ts'
import { listRegistered, type RegisteredShard } from '../kernel/shards/queries.ts'
import { ShardsOf } from '../kernel/shards/shards.ts'
import { withTimeout } from './shutdown.ts'

/** Between two attempts at a shard that does not answer; the second grows to this. */
const pauseMs = { first: 500, max: 5_000 }

interface Options {
  /** Opens what is there, migrated and with our key; whoever calls it disposes of it. */
  open: (
    address: ShardAddress,
    own: { log: Log; examine: (db: ProcessDb) => Promise<void> },
  ) => Promise<OpenShard & AsyncDisposable>
  /** A shard that does not answer is opened later; a command has no later. */
  tryAgain: boolean
  /** One that answers and cannot be used is left out like one that does not, and keeps nobody from starting. */
  leavesOutUnusable?: boolean | undefined
}

/**
 * Opens the further databases of an installation, and tells the contexts of all where the others are.
 * One that does not answer keeps nobody from starting.
 *
 * @returns undefined where there is one database; disposing closes the further ones
 * @throws with what to do when they are not those that are registered
 */
export async function openShards(
  first: Omit<OpenShard, 'name'>,
  config: Config,
  { open, tryAgain, leavesOutUnusable }: Options,
): Promise<AsyncDisposable | undefined> {
  const registered = await listRegistered(first.ctx.db)
  if (registered.length === 0 && config.databaseShards.length === 0) return undefined
  await requireFirst(first.ctx.db, registered)
  requireSameNames(registered, config.databaseShards)

  const { log } = first.ctx
  const shards = new ShardsOf<ProcessContext>(
    { ...first, name: firstShardName },
    config.databaseShards.map(({ name }) => name),
  )
  Object.assign(first.ctx, { shards, shard: firstShardName })
  first.ctx.metrics = first.ctx.metrics.ofShard(firstShardName)
  const stopping = new AbortController()
  const opened: AsyncDisposable[] = []

  async function openOne(address: ShardAddress) {
    const { name } = address
    const shard = await open(address, {
      log: withFields(log, { shard: name }),
      examine: (db) => requireRegistered(db, name, registered),
    })
    if (stopping.signal.aborted) return await shard[Symbol.asyncDispose]()
    Object.assign(shard.ctx, { shards, shard: name })
    opened.push(shard)
    shards.noteOpened(shard)
  }

  async function keepTrying(address: ShardAddress) {
    for (let pause = pauseMs.first; ; pause = Math.min(pauseMs.max, pause * 2)) {
      await first.ctx.sleep(pause, stopping.signal)
      if (stopping.signal.aborted) return
      try {
        await openOne(address)
        log.info({ shard: address.name }, 'a shard was opened')
        return
      } catch (error) {
        const trouble = describeTrouble(error)
        if (shards.troubles.get(address.name) !== trouble) {
          log.error({ shard: address.name, ...describeError(error) }, trouble)
        }
        shards.noteTrouble(address.name, trouble)
      }
    }
  }

  const trying: Promise<void>[] = []
  const close = async () => {
    stopping.abort()
    await withTimeout(Promise.all(trying))
    await Promise.all(opened.map((shard) => shard[Symbol.asyncDispose]()))
  }
  const results = await Promise.allSettled(config.databaseShards.map(openOne))
  for (const [index, address] of config.databaseShards.entries()) {
    const result = results[index]
    if (result?.status !== 'rejected') continue
    const isAway = isDown(result.reason)
    if (!isAway && !leavesOutUnusable) {
      await close()
      throw result.reason
    }
    shards.noteTrouble(address.name, describeTrouble(result.reason))
    const { message } = result.reason as Error
    log.warn({ shard: address.name }, isAway ? `${message} ${waitedFor}` : message)
  }
  if (tryAgain) {
    for (const address of config.databaseShards)
      if (shards.troubles.has(address.name)) trying.push(keepTrying(address))
  }
  return { [Symbol.asyncDispose]: close }
}

const shownDown = 'The database is not reachable.'
const shownReadOnly = 'The database takes no changes, as a standby.'
const waitedFor = 'Its workspaces are not served until it answers.'

/** What is said of a database that did not answer has the driver's error among its causes. */
export const isDown = (error: unknown) => causesOf(error).some((cause) => explainUnavailable(cause))

/** For everybody: a driver's message may quote a value. */
function describeTrouble(error: unknown): string {
  if (causesOf(error).some(isReadOnly)) return shownReadOnly
  if (isDown(error)) return shownDown
  const isOurs = causesOf(error).every((cause) => (cause as { code?: string }).code === undefined)
  return isOurs ? (error as Error).message : 'It cannot be opened; the log says more.'
}

export function causesOf(error: unknown): unknown[] {
  return error instanceof Error ? [error, ...causesOf(error.cause)] : []
}

/** What is said of the first: the settings of a further one have other names. */
export const sayOfShard = (name: string, text: string) =>
  text
    .replaceAll('DATABASE_DIRECT_URL', `DATABASE_DIRECT_SHARDS (${name})`)
    .replaceAll('DATABASE_URL', `DATABASE_SHARDS (${name})`)

/** @throws where DATABASE_URL leads to another database than the first shard */
export async function requireFirst(db: ProcessDb, registered: RegisteredShard[]) {
  const instance = await findInstance(db)
  if (instance?.shard && instance.shard !== firstShardName) {
    throw new Error(
      `DATABASE_URL leads to the shard ${instance.shard} of an installation: set it to the first shard, which has the people who sign in.`,
    )
  }
  const first = registered.find(({ name }) => name === firstShardName)
  if (registered.length > 0 && first?.instance_id !== instance?.id) {
    throw new Error(
      'The first shard is registered as another database than that of DATABASE_URL: correct DATABASE_URL.',
    )
  }
}

/** @throws where a shard that has workspaces would not be known */
export function requireNoneMissing(registered: RegisteredShard[], named: ShardAddress[]) {
  const names = [firstShardName, ...named.map(({ name }) => name)]
  const missing = registered.find(({ name }) => !names.includes(name))
  if (missing) {
    throw new Error(
      `The shard ${missing.name} belongs to this installation, and DATABASE_SHARDS does not name it: add ${missing.name}=postgres://… to it, the same for every process.`,
    )
  }
}

/** @throws where DATABASE_SHARDS and what is registered differ */
export function requireSameNames(registered: RegisteredShard[], named: ShardAddress[]) {
  requireNoneMissing(registered, named)
  const unknown = named.find(({ name }) => !registered.some((one) => one.name === name))
  if (unknown) {
    throw new Error(
      `DATABASE_SHARDS names ${unknown.name}, which is not registered: run "npx outrider migrate --shards" with the same settings, or take it out where it was removed.`,
    )
  }
}

/** @throws where it is not the database that is registered under this name */
export async function requireRegistered(
  db: ProcessDb,
  name: string,
  registered: RegisteredShard[],
) {
  const instance = await findInstance(db)
  const expected = registered.find((one) => one.name === name)
  if (instance?.shard === name && instance.id === expected?.instance_id) return
  const other = registered.find(({ instance_id }) => instance_id === instance?.id)
  throw new Error(wrongDatabase(name, other?.name))
}

export const wrongDatabase = (name: string, other: string | undefined) =>
  `DATABASE_SHARDS leads to another database for ${name} than the one that is registered under this name: ${other === undefined ? 'it is none of this installation' : `it is the shard ${other}`}. Correct the address.`
