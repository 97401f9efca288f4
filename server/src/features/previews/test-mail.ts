import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { RateLimit } from '../../kernel/http/rate-limit.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import { connectMailboxSmtp, explainFailure } from '../mailboxes/index.ts'
import type { ComposedMail } from '../messages/index.ts'
import { refuseWhileHeld } from '../sending/index.ts'
import { findSuppressed } from '../suppression/index.ts'
import { previewStep } from './preview.ts'
import type { TestMailInput, TestMailResult } from './schema.ts'

const hourS = 3600
const perHour = 20

/**
 * Sends a step as the lead would get it to somebody else, outside of the ledger. It counts nowhere:
 * no tracking, no copies, and its way to unsubscribe leads nowhere.
 */
export async function sendTestMail(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  request: TestMailInput,
  { attempts, ...by }: ChangedBy & { attempts: Pick<RateLimit, 'count'> },
): Promise<TestMailResult> {
  const to = parseEmail(request.to)
  if (!to) throw invalidField('/to', 'to must be an e-mail address')
  await refuseWhileHeld(ctx)
  const domain = to.domain
  const test = {
    ...{ mailboxId: request.mailbox_id, to: to.email },
    messageId: `<outrider-test.${ctx.newId()}@${domain}>`,
  }
  const { mail, refusal, mailbox, step } = await previewStep(ctx, workspaceId, campaignId, {
    ...{ leadId: request.lead_id, step: request.step, variant: request.variant },
    ...{ draft: request.draft, test },
  })
  const about = { mailbox, to: to.email, subject: mail?.subject ?? null }
  if (!mail) return { success: false, ...about, error: refusal?.message ?? null }
  const suppressed = (await findSuppressed(ctx.db, workspaceId, [to.folded])).get(to.folded)
  if (suppressed) {
    const error = `Nothing is sent to this address: it is suppressed (${suppressed}).`
    return { success: false, ...about, error }
  }
  await count(attempts, `test-mail:${by.actor.id}`)
  const error = await send(ctx, workspaceId, request.mailbox_id, mail)
  if (error) return { success: false, ...about, error }
  await recordAudit(ctx, {
    ...{ ...by, workspaceId },
    ...{ action: 'campaign.test_sent', subjectType: 'campaign', subjectId: campaignId },
    details: { step, mailbox_id: request.mailbox_id },
  })
  return { success: true, ...about, error: null }
}

async function count(attempts: Pick<RateLimit, 'count'>, key: string) {
  const { tries, secondsLeft } = await attempts.count(key, hourS)
  if (tries <= perHour) return
  const minutes = Math.ceil(secondsLeft / 60)
  throw new AppError(
    'rate_limited',
    `You have sent ${perHour} test mails within an hour; wait ${minutes} minutes.`,
    { headers: { 'retry-after': String(secondsLeft) } },
  )
}

/** @returns why the server did not take it */
async function send(
  ctx: Context,
  workspaceId: string,
  mailboxId: string,
  mail: ComposedMail,
): Promise<string | undefined> {
  const { bytes, from, recipients, sizeBytes, needsUtf8 } = mail
  try {
    const { connection } = await connectMailboxSmtp(ctx, workspaceId, mailboxId)
    try {
      await connection.begin({ from, to: recipients, sizeBytes, utf8: needsUtf8 })
      await connection.finish(bytes)
    } finally {
      await connection.close()
    }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const { what, remedy } = explainFailure(error, 'smtp')
    return `${what} ${remedy}`
  }
  return undefined
}
