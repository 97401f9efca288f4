import type { Context } from '../../kernel/context.ts'
import { laterThan } from '../../kernel/db/later-than.ts'
import type { MailFailure } from '../../kernel/mail/index.ts'
import { recordAudit, service } from '../audit/index.ts'
import { emit } from '../events/index.ts'
import { hintReading, wakeMailboxes, wakeRecoveredMailbox } from '../mailbox-lanes/index.ts'
import { isOfThisProcess } from './access-token.ts'
import { explainFailure } from './explain.ts'
import { findSuccessors } from './hand-over-queries.ts'
import { isOutdated } from './open-mailbox.ts'
import * as queries from './queries.ts'
import type { MailboxSide } from './schema.ts'

/**
 * One of its servers does not work, in the transaction that puts off the mailbox's work. A mailbox
 * that worked until now is in error, and one `mailbox.error` says so; one that is paused stays paused.
 */
export async function reportMailboxError(
  tx: Context,
  workspaceId: string,
  id: string,
  side: MailboxSide,
  failure: MailFailure,
): Promise<void> {
  const mailbox = await queries.lockMailbox(tx.db, workspaceId, id)
  if (!mailbox || isOutdated(failure, mailbox.settings) || isOfThisProcess(failure)) return
  const { what, remedy } = explainFailure(failure, side)
  const errors = { ...errorsOf(mailbox), [`${side}_error`]: `${what} ${remedy}` }
  const isNew = mailbox.status === 'connected'
  const status = isNew ? 'error' : mailbox.status
  const reason = status === 'error' ? reasonOf(errors) : null
  await queries.updateMailbox(tx.db, workspaceId, id, {
    ...errors,
    ...{ status, status_reason: reason },
    ...(isNew ? { timestamp_updated: laterThan(mailbox.timestamp_updated, tx.now()) } : {}),
  })
  // Follow-ups of those that go on with its conversations wait for its reading no longer.
  if (side === 'imap' && mailbox.imap_error === null) {
    await wakeMailboxes(tx, workspaceId, await findSuccessors(tx.db, workspaceId, id))
  }
  if (!isNew) return
  await recordAudit(tx, { ...entryOf(workspaceId, mailbox), action: 'mailbox.failed' })
  const data = { mailbox: mailbox.address, reason }
  await emit(tx, workspaceId, [{ type: 'mailbox.error', campaign: null, leadEmail: null, data }])
  const line = { workspace_id: workspaceId, mailbox_id: id, side, reason: failure.message }
  tx.afterCommit?.(({ log }) => log.warn(line, 'a mailbox does not work any more'))
}

/** That server works again; the mailbox does when the other one works too. */
export async function reportMailboxRecovered(
  tx: Context,
  workspaceId: string,
  id: string,
  side: MailboxSide,
): Promise<void> {
  // Called whenever it works, and it nearly always did before: no lock for that.
  const known = await queries.findErrors(tx.db, workspaceId, id)
  if (!known?.[`${side}_error`]) return
  const mailbox = await queries.lockMailbox(tx.db, workspaceId, id)
  if (!mailbox?.[`${side}_error`]) return
  if (side === 'imap') hintReading(tx, id)
  const errors = { ...errorsOf(mailbox), [`${side}_error`]: null }
  const reason = reasonOf(errors)
  if (mailbox.status !== 'error' || reason !== null) {
    const status_reason = mailbox.status === 'error' ? reason : null
    await queries.updateMailbox(tx.db, workspaceId, id, { ...errors, status_reason })
    return
  }
  await queries.updateMailbox(tx.db, workspaceId, id, {
    ...errors,
    ...{ status: 'connected', status_reason: null },
    timestamp_updated: laterThan(mailbox.timestamp_updated, tx.now()),
  })
  await recordAudit(tx, { ...entryOf(workspaceId, mailbox), action: 'mailbox.recovered' })
  const line = { workspace_id: workspaceId, mailbox_id: id }
  tx.afterCommit?.(({ log }) => log.info(line, 'a mailbox works again'))
  // A reading that is told also wakes those that go on with its conversations: lanes are locked in one order.
  if (side === 'imap') {
    await wakeMailboxes(tx, workspaceId, [id, ...(await findSuccessors(tx.db, workspaceId, id))])
  }
  await wakeRecoveredMailbox(tx, workspaceId, id)
}

interface Errors {
  smtp_error: string | null
  imap_error: string | null
}

const errorsOf = ({ smtp_error, imap_error }: Errors): Errors => ({ smtp_error, imap_error })

const reasonOf = ({ smtp_error, imap_error }: Errors): string | null =>
  [smtp_error, imap_error].filter((error) => error !== null).join(' ') || null

const entryOf = (workspaceId: string, { id, address }: { id: string; address: string }) => ({
  workspaceId,
  ...service,
  subjectType: 'mailbox',
  subjectId: id,
  details: { address },
})
