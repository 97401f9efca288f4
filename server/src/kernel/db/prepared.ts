import { CompiledQuery } from 'kysely'
import { registerPrepared } from './client.ts'
import { type AnyDb, type Db, type ProcessDb, pipelineOf, poolOf } from './db.ts'

// A hot statement, parsed once per connection by the server and never compiled by the builder
// (measured: 50–53 % of a bare route's speed through the builder, 73–82 % through this). There are
// four kinds, and the name of the maker says which.

/**
 * For the tables of one workspace, which is `$1`. The handle knows it, too: a statement that would
 * reach another one is refused.
 */
export function prepared<Values extends [workspaceId: string, ...unknown[]], Row>(
  name: string,
  text: string,
  options?: PreparedOptions,
) {
  const run = prepare<Row>('one', name, text, options)
  return (db: Db, ...values: Values): Promise<Row[]> => {
    const { workspaceId } = db
    // Only a test's own is bound to nothing.
    if (workspaceId !== undefined && workspaceId !== values[0]) return refuse(name)
    return run(db, values)
  }
}

/**
 * For rows of many workspaces, each named by its workspace in the lists that are given: `$1` is the
 * list of the workspaces. A handle that is bound to one takes rows of that one.
 */
export function preparedForBatch<Values extends unknown[], Row>(
  name: string,
  text: string,
  options?: PreparedOptions,
) {
  const run = prepare<Row>('batch', name, text, options)
  return (db: AnyDb, ...values: Values): Promise<Row[]> => {
    const { workspaceId } = db
    if (workspaceId !== undefined && !(values[0] as string[]).every((id) => id === workspaceId))
      return refuse(name)
    return run(db, values)
  }
}

/**
 * For all workspaces: what finds out where there is work, and upkeep. No handle that is bound to one
 * is taken. `server/test/statements/reach.test.ts` lists them.
 */
export function preparedForAll<Values extends unknown[], Row>(
  name: string,
  text: string,
  options?: PreparedOptions,
) {
  const run = prepare<Row>('all', name, text, options)
  return (db: ProcessDb, ...values: Values): Promise<Row[]> => run(db, values)
}

/** A prepared statement on tables that belong to no workspace, such as the directory. */
export function preparedForAny<Values extends unknown[], Row>(
  name: string,
  text: string,
  options?: PreparedOptions,
) {
  const run = prepare<Row>('any', name, text, options)
  return (db: AnyDb, ...values: Values): Promise<Row[]> => run(db, values)
}

/** How many workspaces a statement is for. */
export type Reach = 'one' | 'batch' | 'all' | 'any'

export interface PreparedStatement {
  name: string
  text: string
  reach: Reach
}

const statements: PreparedStatement[] = []

/** The prepared statements of all modules that are loaded. */
export const listPrepared = (): readonly PreparedStatement[] => statements

export interface PreparedOptions {
  /** True: sent on a connection that never waits, as for a read by key that every request makes. */
  pipelined?: boolean
}

function prepare<Row>(
  reach: Reach,
  name: string,
  text: string,
  { pipelined = false }: PreparedOptions = {},
) {
  registerPrepared(name, text)
  statements.push({ name, text, reach })
  return async (db: AnyDb, values: unknown[]): Promise<Row[]> => {
    const pipeline = pipelined ? pipelineOf(db) : undefined
    if (pipeline) return (await pipeline.query(text, values)).rows as Row[]
    const pool = poolOf(db)
    if (pool) return (await pool.query(text, values)).rows as Row[]
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
  }
}

const refuse = (name: string) =>
  Promise.reject(new Error(`${name} was asked for another workspace than that of its handle.`))
