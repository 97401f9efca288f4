import type { ProcessContext } from '../context.ts'
import type { SecretBox } from '../crypto.ts'
import type { ProcessDb } from '../db/db.ts'
import { movingOf } from '../db/failure.ts'
import * as queries from './cross-workspace.ts'
import type { SealedColumn, SealedCount } from './sealed-column.ts'

/**
 * What no process with these keys can open, as one sentence; undefined when there is nothing.
 *
 * @param others counted already: what is sealed otherwise than by us
 */
export async function findUnreadable(
  db: ProcessDb,
  { keyIds }: Pick<SecretBox, 'keyIds'>,
  columns: SealedColumn[],
  others: SealedCount[],
): Promise<string | undefined> {
  const counts = await queries.countSealed(
    db,
    columns.filter(({ isShortLived }) => !isShortLived),
  )
  const closed = [...counts, ...others].filter(({ key_id }) => !keyIds.includes(key_id))
  if (closed.length === 0) return undefined
  const parts = closed.map(({ count, label, key_id }) => `${count} ${label} with key ${key_id}`)
  return `OUTRIDER_SECRET_KEY lacks a key that is in use, so they cannot be opened: ${parts.join(', ')}`
}

export interface Resealed {
  resealed: number
  /** Sealed with a key that is not given here, or damaged. */
  unreadable: number
}

interface ResealedColumns extends Resealed {
  /** By workspace: nothing of it is written now, as it is being moved, or has left and come to no database. */
  fenced: Map<string, number>
}

const batchMax = 500

/**
 * Seals everything with the first key, in batches. Each value is replaced only where it still is what
 * was read, so that it may run beside the service, more than once, and be broken off at any time.
 *
 * @param gone workspaces that other databases have: what they have left here is deleted as it is
 */
export async function resealAll(
  ctx: ProcessContext,
  columns: SealedColumn[],
  gone: string[],
): Promise<ResealedColumns> {
  const total: ResealedColumns = { resealed: 0, unreadable: 0, fenced: new Map() }
  const wanted = { keyId: ctx.secrets.keyId, gone }
  for (const column of columns) {
    let after: queries.Key | undefined
    for (;;) {
      const rows = await queries.findForeign(ctx.db, column, wanted, after, batchMax)
      for (const row of rows) {
        const outcome = await resealRow(ctx, column, row)
        if (outcome === 'resealed' || outcome === 'unreadable') total[outcome] += 1
        else if (outcome) total.fenced.set(outcome.of, 1 + (total.fenced.get(outcome.of) ?? 0))
      }
      after = rows.at(-1)?.key
      if (rows.length < batchMax) break
    }
  }
  return total
}

async function resealRow(
  { db, secrets }: ProcessContext,
  column: SealedColumn,
  value: queries.SealedValue,
): Promise<keyof Resealed | { of: string } | undefined> {
  const purpose = column.purpose(value.key)
  const text = openOrNot(secrets, value.sealed, purpose)
  if (text === undefined) return 'unreadable'
  try {
    const isReplaced = await queries.replaceSealed(db, column, value, secrets.seal(text, purpose))
    return isReplaced ? 'resealed' : undefined
  } catch (error) {
    const moving = movingOf(error)
    if (moving) return { of: moving.workspaceId }
    throw error
  }
}

function openOrNot(secrets: SecretBox, sealed: Buffer, purpose: string): string | undefined {
  try {
    return secrets.open(sealed, purpose)
  } catch {
    return undefined
  }
}
