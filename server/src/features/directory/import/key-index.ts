import type { Context } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/db/db.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { lockDirectory } from '../queries.ts'
import * as queries from './queries.ts'
import type { KeysBefore } from './reading.ts'

/*
 * To keep the index of keys costs more with every row than to make it of all rows at once. An import
 * into a directory of few contacts drops it, remembers the keys by itself, and makes it again in the
 * end, or as soon as a key comes a second time. Whoever else adds contacts makes it first, where it is
 * missing: so does the next import after one that was killed.
 */

/**
 * Drops the index where that is of use.
 *
 * @returns the keys of those who are there; undefined: the index stays
 */
export async function doWithoutKeyIndex(
  ctx: Context,
): Promise<Omit<KeysBefore, 'keysMax'> | undefined> {
  if (!(await queries.lockKeyIndex(ctx.db))) return undefined
  const keys = await transaction(ctx, dropKeyIndex).catch((error) => {
    if (unavailable.has(error.code)) return undefined
    throw error
  })
  if (!keys) await queries.unlockKeyIndex(ctx.db)
  return keys
}

async function dropKeyIndex({ db }: Context) {
  await lockDirectory(db)
  const contacts = await queries.listContactKeys(db, fewMax + 1)
  if (contacts.length > fewMax) return undefined
  if (await queries.hasKeyIndex(db)) await queries.dropKeyIndex(db)
  // Who may drop it need not be allowed to make it. Refused here, it is as if it had stayed.
  await queries.createKeyIndex(db)
  await queries.dropKeyIndex(db)
  const companies = await queries.listCompanyKeys(db, fewMax + 1)
  return { contacts, companies: companies.length > fewMax ? undefined : companies }
}

/** The index is there from now on. */
export async function haveKeyIndex(ctx: Context): Promise<void> {
  await transaction(ctx, async ({ db }) => {
    await lockDirectory(db)
    await ensureKeyIndex(db)
  })
  await queries.unlockKeyIndex(ctx.db)
}

/** Within a transaction that has locked the directory. */
export async function ensureKeyIndex(tx: Db): Promise<void> {
  if (!(await queries.hasKeyIndex(tx))) await queries.createKeyIndex(tx)
}

/** So many keys are read and remembered in no time. */
const fewMax = 20_000

/** Somebody reads the table for long, or the index is not ours. */
const unavailable = new Set(['55P03', '42501'])
