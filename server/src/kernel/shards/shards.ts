import type { AnyDb } from '../db/db.ts'
import { explainUnavailable, isUnreachable } from '../db/failure.ts'
import { AppError } from '../errors.ts'
import { isUnavailable } from '../http/error-reply.ts'
import { within } from '../within.ts'
import { findPlace, listRegistered, type Place } from './queries.ts'

/** What is needed of the context of a process, which knows the shards in its turn. */
interface ShardContext {
  db: AnyDb
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** One of the databases that workspaces lie on, with what works on it. */
export interface ShardOf<Ctx> {
  name: string
  ctx: Ctx
  /** Holds the password. */
  databaseUrl: string
  /** The way around a pooler; without one the same. */
  directUrl: string
}

/** What a shard answered. */
export interface Answer<Ctx, T> {
  shard: ShardOf<Ctx>
  answer: T
}

/** Of workspaces whose place is remembered; what is forgotten costs a question to each shard. */
const placesMax = 200_000
/** A list of what lies on many shards waits so long for one of them. */
const patienceMs = 2000

/**
 * The databases that workspaces lie on. A workspace is wholly on one of them. Which one is asked where
 * work for it begins, and remembered: a shard that has it no more says so, and then all are asked.
 */
export class ShardsOf<Ctx extends ShardContext> {
  readonly first: ShardOf<Ctx>
  readonly names: readonly string[]
  readonly #open = new Map<string, ShardOf<Ctx>>()
  /** Why a shard is not open, for an operator. */
  readonly #troubles = new Map<string, string>()
  readonly #places = new Map<string, ShardOf<Ctx>>()
  readonly #listeners = new Set<(shard: ShardOf<Ctx>) => void>()

  /** @param others names of those that are to be opened */
  constructor(first: ShardOf<Ctx>, others: string[]) {
    this.first = first
    this.names = [first.name, ...others]
    this.#open.set(first.name, first)
    for (const name of others) this.#troubles.set(name, 'It was not opened yet.')
  }

  /** The shards that were opened, the first one first. One of them may be down at the moment. */
  get opened(): ShardOf<Ctx>[] {
    return this.names.flatMap((name) => this.#open.get(name) ?? [])
  }

  /** Why the others were not, for an operator, by name. */
  get troubles(): ReadonlyMap<string, string> {
    return this.#troubles
  }

  noteOpened(shard: ShardOf<Ctx>) {
    this.#open.set(shard.name, shard)
    this.#troubles.delete(shard.name)
    for (const tell of this.#listeners) tell(shard)
  }

  noteTrouble(name: string, trouble: string) {
    this.#troubles.set(name, trouble)
  }

  /**
   * Calls back for each shard that is open, and later for each that is opened.
   *
   * @returns a function that ends it
   */
  onOpened(tell: (shard: ShardOf<Ctx>) => void): () => void {
    this.#listeners.add(tell)
    for (const shard of this.opened) tell(shard)
    return () => void this.#listeners.delete(tell)
  }

  /** @throws AppError `not_found`, or `unavailable` when it is not open */
  byName(name: string): ShardOf<Ctx> {
    const shard = this.#open.get(name)
    if (shard) return shard
    if (this.names.includes(name)) throw silent(name)
    throw new AppError(
      'not_found',
      `There is no shard ${name}: there are ${this.names.join(', ')}.`,
    )
  }

  /**
   * Where a workspace lies, by what the shard itself says now. One that no shard has is left to the
   * first, which finds nothing.
   *
   * @throws AppError `unavailable` while a shard that may have it does not answer; `not_found` where it
   *   was lost with one
   */
  async of(workspaceId: string): Promise<Ctx> {
    const located = await this.locateWorkspace(workspaceId, async ({ ctx }) => {
      const [place] = await findPlace(ctx.db, workspaceId)
      return place
    })
    return located?.shard.ctx ?? this.first.ctx
  }

  /**
   * `locate` for who reads more of the workspace than where it lies, by one statement for both.
   *
   * @param ask as for `locate`
   * @returns undefined when all have answered and none has it
   * @throws AppError as `of`
   */
  async locateWorkspace<T extends Place>(
    workspaceId: string,
    ask: (shard: ShardOf<Ctx>) => Promise<T | undefined>,
  ): Promise<Answer<Ctx, T> | undefined> {
    const last = this.#places.get(workspaceId)
    const located = await this.locate(last, ask)
    if (located && located.shard !== last) this.#remember(workspaceId, located.shard)
    return located
  }

  /**
   * Where something of a workspace lies: on the shard where it was found last, else asked of all. It may
   * have left one that does not answer now.
   *
   * @param ask what a shard has of it; `moved_to` says that the workspace has left
   * @returns undefined when all have answered and none has it
   * @throws AppError `unavailable` while it is between two shards, or one that may have it is silent;
   *   `not_found` where it was lost with a shard that was taken out
   */
  async locate<T extends Place>(
    last: ShardOf<Ctx> | undefined,
    ask: (shard: ShardOf<Ctx>) => Promise<T | undefined>,
  ): Promise<Answer<Ctx, T> | undefined> {
    let failure: unknown
    const there =
      last &&
      (await ask(last).catch((error) => {
        if (!isUnavailable(error)) throw error
        failure = error
      }))
    if (there && !there.moved_to) return { shard: last, answer: there }
    const left: Place[] = []
    const found = await this.find(async (shard) => {
      // It was waited for already.
      if (failure && shard === last) throw failure
      const answer = await ask(shard)
      if (answer?.moved_to) left.push(answer)
      return answer?.moved_to ? undefined : answer
    })
    if (!found && left.length > 0) throw (await this.#isLost(left)) ? lost() : betweenShards()
    return found
  }

  /** @param left what all have said that had it, and none has it now */
  async #isLost(left: Place[]): Promise<boolean> {
    if (!left.every(({ is_emptied }) => is_emptied)) return false
    const registered = await listRegistered(this.first.ctx.db)
    return left.some(({ moved_to }) => registered.every(({ name }) => name !== moved_to))
  }

  #remember(workspaceId: string, shard: ShardOf<Ctx>) {
    if (this.#places.size >= placesMax) this.#places.clear()
    this.#places.set(workspaceId, shard)
  }

  /**
   * Asks all at once, and does not wait for the others once one has found something.
   *
   * @returns undefined when all have answered and none has it
   * @throws AppError `unavailable` when none has it and one did not answer
   */
  async find<T>(
    ask: (shard: ShardOf<Ctx>) => Promise<T | undefined>,
  ): Promise<Answer<Ctx, T> | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer<Ctx, T> | undefined>()
    const failures: unknown[] = [...this.#troubles.keys()].map(silent)
    const asked = this.opened.map(async (shard) => {
      try {
        const answer = await ask(shard)
        if (answer !== undefined) resolve({ shard, answer })
      } catch (error) {
        failures.push(asUnavailable(shard.name, error))
      }
    })
    void Promise.all(asked).then(() =>
      failures.length > 0 ? reject(failures[0]) : resolve(undefined),
    )
    return await promise
  }

  /**
   * What all of them say.
   *
   * @throws AppError `unavailable`, which names the one that does not answer
   */
  async askAll<T>(ask: (shard: ShardOf<Ctx>) => Promise<T>): Promise<Answer<Ctx, T>[]> {
    for (const name of this.#troubles.keys()) throw silent(name)
    return await Promise.all(
      this.opened.map(async (shard) => {
        const answer = await ask(shard).catch((error) => {
          throw asUnavailable(shard.name, error)
        })
        return { shard, answer }
      }),
    )
  }

  /**
   * What those say that answer soon.
   *
   * @throws what is no trouble of a database
   */
  async askThoseUp<T>(ask: (shard: ShardOf<Ctx>) => Promise<T>): Promise<Answer<Ctx, T>[]> {
    const asked = this.opened.map((shard) => {
      const answering = ask(shard).then(
        (answer) => ({ shard, answer }),
        (error) => {
          if (isUnavailable(error)) return undefined
          throw error
        },
      )
      return within(this.first.ctx, patienceMs, answering)
    })
    return (await Promise.all(asked)).flatMap((one) => one ?? [])
  }
}

/** What is a fault of ours stays one; and who is only busy, or moving something, is not called away. */
function asUnavailable(name: string, error: unknown) {
  const explained = explainUnavailable(error)
  if (!explained) return error
  // For the log, whose lines of a request are of no shard before its caller is known.
  Object.assign(error as Error, { shard: name })
  if (isUnreachable(error)) return silent(name, error)
  return unavailable(`The shard ${name} cannot do this now. ${explained.message}`, error)
}

/** A shard was registered after this process had started. */
export const unknownShard = (name: string) =>
  unavailable(
    `This process does not know the shard ${name}: its operator restarts it with ${name} in DATABASE_SHARDS.`,
  )

/** A workspace that is on neither of two shards for the moment: reading has to wait as well. */
export const betweenShards = () =>
  unavailable('The workspace is being moved to another database; try again shortly.')

const lost = () => new AppError('not_found', 'There is no such workspace any more.')

const silent = (name: string, cause?: unknown) =>
  unavailable(`The database of the shard ${name} is not reachable; try again shortly.`, cause)

const unavailable = (message: string, cause?: unknown) =>
  new AppError('unavailable', message, { cause })
