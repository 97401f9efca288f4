import type { Context } from '../../../kernel/context.ts'
import type { Session } from '../../../kernel/db/session.ts'
import { lockDirectory } from '../queries.ts'
import { insertWords, markChanged, markEmployees } from '../term-index/index.ts'
import { choose } from './choose.ts'
import { ContactRows } from './contact-rows.ts'
import { indexBatch } from './index-batch.ts'
import { ensureKeyIndex } from './key-index.ts'
import type { StoredCompany } from './named-companies.ts'
import * as queries from './queries.ts'
import type { ReadBatch } from './read-batch.ts'
import { writeCompanies } from './write-companies.ts'

export interface WriteOptions {
  /** Some of the contacts may be in the directory already: each is looked for. */
  isCareful: boolean
  /** The directory is without its index of keys, and no key of the batch is in it. */
  isUnindexed: boolean
  isSample: boolean
}

export interface Written {
  contactsCreated: number
  contactsUpdated: number
  contactsUnchanged: number
  companiesCreated: number
  companiesUpdated: number
  /** Rows of people who asked to be removed. */
  optedOut: number[]
  /** By their places in the batch; theirs once the transaction is committed. */
  stored: (StoredCompany | undefined)[]
}

/**
 * Writes a batch within the open transaction of the session, and indexes it.
 *
 * @throws SQLSTATE 23505 when not careful and something is there already
 */
export async function writeBatch(
  tx: Context,
  copyFrom: Session['copyFrom'],
  batch: ReadBatch,
  { isCareful, isUnindexed, isSample }: WriteOptions,
): Promise<Written> {
  await lockDirectory(tx.db)
  if (isUnindexed) await queries.keepVacuumAway(tx.db)
  else await ensureKeyIndex(tx.db)
  const { contacts, companies, optedOut } = await choose(tx, batch)
  const { stored, created, updated, moved } = await writeCompanies(tx, copyFrom, companies, {
    isCareful,
    isSample,
  })
  await markEmployees(tx.db, moved)
  const known = isCareful ? await findKnown(tx, batch, contacts) : undefined
  const fresh = known ? contacts.filter((at) => !known.has(at)) : contacts
  const rows = new ContactRows(tx, batch, stored)
  const newest = await queries.findNewest(tx.db)
  const start = newest ? newest.number + 1 : 0
  if (fresh.length > 0) {
    await copyFrom(queries.copyContacts, rows.create(fresh, start, newest?.id))
    const added = { contacts: fresh, start, employers: stored }
    await indexBatch(tx.db, copyFrom, batch, added)
  }
  const changed = known ? await updateKnown(tx, copyFrom, known, rows) : []
  await markChanged(tx.db, changed)
  // Blocks before words, as whoever indexes a block: else the two could wait for each other.
  if (batch.words.length > 0) await insertWords(tx.db, batch.words)
  return {
    contactsCreated: fresh.length,
    contactsUpdated: changed.length,
    contactsUnchanged: contacts.length - fresh.length - changed.length,
    companiesCreated: created,
    companiesUpdated: updated,
    optedOut,
    stored,
  }
}

type Known = Map<number, queries.KnownContact>

async function findKnown(tx: Context, batch: ReadBatch, contacts: Uint32Array): Promise<Known> {
  const places = new Map(Array.from(contacts, (at) => [batch.key(at), at]))
  const rows = await queries.findByKeys(tx.db, [...places.keys()])
  return new Map(rows.map((row) => [places.get(row.key) ?? -1, row]))
}

/** @returns the numbers of those that are not as they were */
async function updateKnown(
  tx: Context,
  copyFrom: Session['copyFrom'],
  known: Known,
  rows: ContactRows,
): Promise<number[]> {
  if (known.size === 0) return []
  await copyFrom(queries.copyChangedContacts, rows.change(known))
  return queries.updateContacts(tx.db)
}
