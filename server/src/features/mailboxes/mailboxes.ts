import type { TSchema } from 'typebox'
import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { laterThan } from '../../kernel/db/later-than.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { buildValidator } from '../../kernel/http/validation.ts'
import { isLoopback } from '../../kernel/outbound/index.ts'
import { canonicalZone } from '../../kernel/time-zone.ts'
import { type AuditAction, type ChangedBy, type NewEntry, recordAudit } from '../audit/index.ts'
import { changeGap, hintReading, wakeMailboxes, wakeMendedMailbox } from '../mailbox-lanes/index.ts'
import { findSuccessors } from './hand-over-queries.ts'
import * as queries from './queries.ts'
import { insertRemoved, takeRemoved } from './removed-queries.ts'
import { providerSavesSent, shownSaveSent, storedSaveSent } from './save-sent.ts'
import { type Mailbox, MailboxChange, MailboxInput, type MailboxSettings } from './schema.ts'
import { changeServer, checkServer, openSettings, sealSettings } from './settings.ts'

/**
 * Adds a mailbox from what an operator typed, which nothing has checked yet. Its servers are not
 * contacted: the first connection decides whether it stays `connected`. One that was removed gets its
 * id back, and goes on with its conversations.
 */
export async function addMailbox(
  ctx: Context,
  workspaceId: string,
  input: unknown,
  by: ChangedBy,
): Promise<Mailbox> {
  const { address, smtp, imap, ramp_up, save_sent, ...rest } = checkNew(structuredClone(input))
  const parsed = parseEmail(address)
  if (!parsed) throw invalidField('/address', 'address must be an e-mail address')
  checkServer('smtp', smtp)
  checkServer('imap', imap)
  const timezone = zoneOf(rest.timezone)
  return transaction(ctx, async (tx) => {
    const removed = await takeRemoved(tx.db, workspaceId, parsed.folded)
    const id = removed?.id ?? tx.newId()
    const row = await queries.insertMailbox(tx.db, {
      ...rest,
      ...rampUpColumns(tx, ramp_up ?? null, timezone),
      save_sent: storedSaveSent(save_sent),
      provider_saves_sent: providerSavesSent(smtp.host),
      sends_locally: isLoopback(smtp.host),
      timezone,
      workspace_id: workspaceId,
      id,
      // Campaigns name a mailbox that was here before by the spelling that it had.
      address: removed?.address ?? parsed.email,
      address_folded: parsed.folded,
      settings: sealSettings(tx, workspaceId, id, { smtp, imap }),
      imap_version: tx.newId(),
      timestamp_created: tx.now(),
      timestamp_updated: tx.now(),
    })
    if (!row) throw invalidField('/address', 'the workspace has a mailbox of this address already')
    await record(tx, workspaceId, row, { action: 'mailbox.added', ...by })
    hintReading(tx, id)
    await wakeMendedMailbox(tx, workspaceId, id)
    return toMailbox(row)
  })
}

/**
 * Other servers, or another login, are tried anew: what was wrong with the old ones is forgotten. Mails
 * that are claimed already are claimed anew: they know the mailbox by its `timestamp_updated`.
 */
export async function updateMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
  input: unknown,
  by: ChangedBy,
): Promise<Mailbox> {
  const change = checkChange(structuredClone(input))
  const { smtp, imap, ramp_up, timezone, save_sent, ...plain } = change
  return transaction(ctx, async (tx) => {
    const stored = await queries.lockMailbox(tx.db, workspaceId, id)
    if (!stored) throw notFound('mailbox')
    const zone = timezone === undefined ? stored.timezone : zoneOf(timezone)
    const settings = openSettings(tx, workspaceId, id, stored.settings)
    const changed: MailboxSettings = {
      smtp: smtp ? changeServer('smtp', settings.smtp, smtp) : settings.smtp,
      imap: imap ? changeServer('imap', settings.imap, imap) : settings.imap,
    }
    const isSame =
      ramp_up && ramp_up.start === stored.ramp_up_start && ramp_up.step === stored.ramp_up_step
    const row = await queries.updateMailbox(tx.db, workspaceId, id, {
      ...plain,
      ...(save_sent === undefined ? {} : { save_sent: storedSaveSent(save_sent) }),
      provider_saves_sent: providerSavesSent(changed.smtp.host),
      sends_locally: isLoopback(changed.smtp.host),
      timezone: zone,
      ...(ramp_up === undefined || isSame ? {} : rampUpColumns(tx, ramp_up, zone)),
      ...(smtp || imap ? { settings: sealSettings(tx, workspaceId, id, changed) } : {}),
      ...(imap ? { ...unread, imap_version: tx.newId() } : {}),
      ...(smtp || imap ? { ...noErrors, ...(stored.status === 'error' ? connected : {}) } : {}),
      timestamp_updated: laterThan(stored.timestamp_updated, tx.now()),
    })
    await record(tx, workspaceId, stored, {
      ...{ action: 'mailbox.updated', ...by, details: { changed: Object.keys(change).sort() } },
    })
    if (imap) hintReading(tx, id)
    await wakeMendedMailbox(tx, workspaceId, id)
    await changeGap(tx, workspaceId, id, {
      ...{ before: stored.gap_seconds, after: plain.gap_seconds ?? stored.gap_seconds },
    })
    return toMailbox(row as queries.ShownRow)
  })
}

/** Nothing is sent from it and nothing is read until it is resumed. */
export const pauseMailbox = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Mailbox> => {
  const change = { status: 'paused', status_reason: null, ...unread }
  return setStatus(ctx, workspaceId, id, change, { action: 'mailbox.paused', ...by })
}

/** A mailbox in error is resumed, too: its servers are tried again at once. */
export const resumeMailbox = (
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Mailbox> => {
  const change = { ...connected, ...noErrors }
  return setStatus(ctx, workspaceId, id, change, { action: 'mailbox.resumed', ...by })
}

export async function listMailboxes(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Mailbox>> {
  const rows = await queries.listMailboxes(ctx.db, workspaceId, page)
  return toPage(rows.map(toMailbox), page.limit)
}

/** By the spelling that an email_list keeps; in no order, and without those that are gone. */
export const findSenderMailboxes = async (
  db: Db,
  workspaceId: string,
  addresses: string[],
): Promise<Mailbox[]> => (await queries.selectByAddress(db, workspaceId, addresses)).map(toMailbox)

/** In no order, and without those that are gone. */
export const findMailboxes = async (
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<Mailbox[]> => (await queries.selectById(db, workspaceId, ids)).map(toMailbox)

export async function getMailbox(ctx: Context, workspaceId: string, id: string): Promise<Mailbox> {
  const [mailbox] = await findMailboxes(ctx.db, workspaceId, [id])
  if (!mailbox) throw notFound('mailbox')
  return mailbox
}

/**
 * Its settings are gone for good. Campaigns that name its address begin conversations from their other
 * mailboxes; its own wait until it is added again, or handed over.
 */
export async function removeMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Mailbox> {
  return transaction(ctx, async (tx) => {
    const row = await queries.deleteMailbox(tx.db, workspaceId, id)
    if (!row) throw notFound('mailbox')
    const { address_folded, ...mailbox } = row
    await insertRemoved(tx.db, workspaceId, { id, address: row.address, address_folded }, tx.now())
    await record(tx, workspaceId, row, { action: 'mailbox.removed', ...by })
    hintReading(tx, id)
    await wakeMailboxes(tx, workspaceId, await findSuccessors(tx.db, workspaceId, id))
    return toMailbox(mailbox)
  })
}

export function toMailbox(row: queries.ShownRow): Mailbox {
  const { ramp_up_start: start, ramp_up_step: step, ramp_up_from: from, ...rest } = row
  const ramp_up = start !== null && step !== null && from !== null ? { start, step, from } : null
  const save_sent = shownSaveSent(row.save_sent)
  return { ...rest, ramp_up, save_sent, status: row.status as Mailbox['status'] }
}

const connected = { status: 'connected', status_reason: null }
const noErrors = { smtp_error: null, imap_error: null }
/** Until it is read again: what comes in meanwhile nobody sees. */
const unread = { inbox_read_at: null }

async function setStatus(
  ctx: Context,
  workspaceId: string,
  id: string,
  change: Parameters<typeof queries.updateMailbox>[3],
  done: ChangedBy & { action: AuditAction },
): Promise<Mailbox> {
  return transaction(ctx, async (tx) => {
    const stored = await queries.lockMailbox(tx.db, workspaceId, id)
    if (!stored) throw notFound('mailbox')
    if (stored.status === change.status) return toMailbox(stored)
    const timestamp_updated = laterThan(stored.timestamp_updated, tx.now())
    const row = await queries.updateMailbox(tx.db, workspaceId, id, {
      ...change,
      timestamp_updated,
    })
    await record(tx, workspaceId, stored, done)
    hintReading(tx, id)
    // Nobody reads it any more: what waited for that in the mailboxes that go on with its conversations
    // is sent. With its own lane, because lanes are locked in one order.
    if (change.status === 'paused') {
      await wakeMailboxes(tx, workspaceId, [id, ...(await findSuccessors(tx.db, workspaceId, id))])
    }
    await wakeMendedMailbox(tx, workspaceId, id)
    return toMailbox(row as queries.ShownRow)
  })
}

/** A ramp-up begins on the day it is set. */
function rampUpColumns(
  { now }: Context,
  rampUp: { start: number; step: number } | null,
  zone: string | null,
) {
  const today = Temporal.Instant.fromEpochMilliseconds(now().getTime())
    .toZonedDateTimeISO(zone ?? 'UTC')
    .toPlainDate()
  return {
    ramp_up_start: rampUp?.start ?? null,
    ramp_up_step: rampUp?.step ?? null,
    ramp_up_from: rampUp ? today.toString() : null,
  }
}

function zoneOf(name: string | null | undefined): string | null {
  if (name === null || name === undefined) return null
  const zone = canonicalZone(name)
  if (zone === undefined) throw invalidField('/timezone', 'timezone must be an IANA name')
  return zone
}

const checkNew = checker<MailboxInput>(MailboxInput, 'POST')
const checkChange = checker<MailboxChange>(MailboxChange, 'PATCH')

function checker<T>(schema: TSchema, method: string): (input: unknown) => T {
  // Made for the first mailbox: a start takes less.
  let made: ReturnType<ReturnType<typeof buildValidator>> | undefined
  return (input) => {
    if (typeof input !== 'object' || input === null) {
      throw new AppError('invalid_json', 'A mailbox is described by a JSON object.')
    }
    made ??= buildValidator({})({ schema, method, url: '', httpPart: 'body' })
    const result = made(input) as { value?: T; error?: AppError }
    if (result.value) return result.value
    throw result.error
  }
}

/** With its address: whoever reads of it later may find no mailbox any more. */
const record = (
  tx: Context,
  workspaceId: string,
  { id, address }: { id: string; address: string },
  { details, ...done }: ChangedBy & Pick<NewEntry, 'action' | 'details'>,
) =>
  recordAudit(tx, {
    ...{ workspaceId, ...done, subjectType: 'mailbox', subjectId: id },
    details: { address, ...details },
  })
