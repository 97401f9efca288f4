import type { Context } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { Db } from '../../kernel/db/db.ts'
import { requireTransaction } from '../../kernel/db/transaction.ts'
import { domainOfAddress } from '../../kernel/email.ts'
import { findOptedOut } from '../directory/index.ts'
import { type SuppressionReason, suppressionReasons } from './entry.ts'
import * as queries from './queries.ts'

export interface NewSuppression {
  kind: 'address' | 'domain'
  /** Folded, as `parseEmail` answers it. */
  value: string
  reason: SuppressionReason
  /** Where it came from. */
  campaignId: string | null
  /** Since when; now, if it is not given. */
  since?: Date | undefined
}

/**
 * Nobody in the workspace writes to these addresses from here on. Leads are not touched: whoever
 * calls this stops them in the same transaction, after it.
 *
 * Call it before any lead is locked: it waits for running `holdSuppressions`.
 *
 * @returns how many are new, or stand for a stronger reason now
 */
export async function suppress(
  tx: Context,
  workspaceId: string,
  entries: NewSuppression[],
): Promise<number> {
  await lockSuppressions(tx, workspaceId)
  const rows = entries.map(({ campaignId, since, ...entry }) => ({
    ...entry,
    campaign_id: campaignId,
    timestamp_created: since ?? tx.now(),
  }))
  return queries.insertSuppressions(tx.db, workspaceId, rows)
}

/**
 * Mail to these addresses arrives after all: they are taken off the list where a bounce is all that put
 * them on it, and what somebody has blocked stays blocked. Call it before any lead is locked, as `suppress`.
 */
export async function liftBounces(tx: Context, workspaceId: string, foldedAddresses: string[]) {
  await lockSuppressions(tx, workspaceId)
  await queries.deleteBounced(tx.db, workspaceId, foldedAddresses)
}

/**
 * Until this transaction ends the workspace's suppressions stay as they are, so that what is read
 * of them still holds when leads are committed. Others may hold them at the same time.
 */
export async function holdSuppressions(tx: Context, workspaceId: string) {
  requireTransaction(tx)
  await queries.lockShared(tx.db, workspaceId)
}

/** Waits for every holder and keeps new ones waiting until this transaction ends. */
export async function lockSuppressions(tx: Context, workspaceId: string) {
  requireTransaction(tx)
  await queries.lockAlone(tx.db, workspaceId)
}

/** Why nobody may write to an address, and what says so. */
export interface Suppressed {
  reason: SuppressionReason
  /** Its own entry, that of its domain, its erasure, or the request to be removed from the installation. */
  by: 'address' | 'domain' | 'erased' | 'opt-out'
}

/**
 * Which of these folded addresses nobody may write to. Who asked the installation to be removed counts as
 * unsubscribed in every workspace; of the entries one for the address counts before one for its domain,
 * which does not cover its subdomains.
 */
export async function explainSuppressed(
  db: Db,
  workspaceId: string,
  foldedAddresses: string[],
): Promise<Map<string, Suppressed>> {
  const domains = [...new Set(foldedAddresses.map(domainOfAddress))]
  const addresses = foldedAddresses.flatMap((address) => [address, erasedEntry(address)])
  const rows = await queries.findSuppressions(db, workspaceId, addresses, domains)
  const optedOut = await findOptedOut(db, foldedAddresses)
  if (rows.length === 0 && optedOut.size === 0) return new Map()
  const weakestFirst = rows.toSorted((a, b) => placeOf(b) - placeOf(a))
  const found = new Map(weakestFirst.map(({ kind, value, reason }) => [`${kind} ${value}`, reason]))
  const explain = (address: string): Suppressed | undefined => {
    if (optedOut.has(address)) return { reason: 'unsubscribed', by: 'opt-out' }
    const own = found.get(`address ${address}`)
    if (own) return { reason: own, by: 'address' }
    const erased = found.get(`address ${erasedEntry(address)}`)
    if (erased) return { reason: erased, by: 'erased' }
    const ofDomain = found.get(`domain ${domainOfAddress(address)}`)
    return ofDomain && { reason: ofDomain, by: 'domain' }
  }
  return new Map(
    foldedAddresses.flatMap((address) => {
      const suppressed = explain(address)
      return suppressed ? [[address, suppressed] as const] : []
    }),
  )
}

/** Which of these folded addresses nobody may write to, and why. */
export async function findSuppressed(
  db: Db,
  workspaceId: string,
  foldedAddresses: string[],
): Promise<Map<string, SuppressionReason>> {
  const suppressed = await explainSuppressed(db, workspaceId, foldedAddresses)
  return new Map([...suppressed].map(([address, { reason }]) => [address, reason]))
}

/** Which of these folded addresses are of people who were erased, whatever else says no to them. */
export async function findErased(
  db: Db,
  workspaceId: string,
  foldedAddresses: string[],
): Promise<Set<string>> {
  const byEntry = new Map(foldedAddresses.map((address) => [erasedEntry(address), address]))
  const rows = await queries.findSuppressions(db, workspaceId, [...byEntry.keys()], [])
  return new Set(rows.flatMap(({ value }) => byEntry.get(value) ?? []))
}

/** What stands in the list for somebody who was erased: nobody adds them again, and nobody reads who it was. */
export const erasedEntry = (foldedAddress: string) =>
  `sha256:${sha256(foldedAddress).toString('hex')}`

const placeOf = ({ reason }: queries.SuppressionRow) => suppressionReasons.indexOf(reason)
