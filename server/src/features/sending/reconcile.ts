import type { Context } from '../../kernel/context.ts'
import { describeError } from '../../kernel/log.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import type { GroupWriter } from '../../kernel/runner/group-writer.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { findUncertain, type UncertainSend } from './cross-workspace.ts'
import { withImap } from './sent-folder.ts'
import type { Settlement } from './settle.ts'
import { postponeLook } from './uncertain-queries.ts'

const minuteMs = 60_000
/** After the mail; then it is left to a person. */
const looksMs = [1, 5, 30, 240, 1440].map((minutes) => minutes * minuteMs)
const sendsMax = 200

/**
 * Looks for uncertain mails in the Sent folders of their mailboxes: what the provider has filed there
 * was sent. What is not there stays uncertain, for it may have been sent all the same.
 */
export async function reconcileUncertain(
  ctx: Context,
  holds: (bucket: number) => boolean,
  settlements: GroupWriter<Settlement, boolean>,
) {
  const due = (await findUncertain(ctx.db, ctx.now(), sendsMax)).filter(({ mailbox_id }) =>
    holds(bucketOf(mailbox_id)),
  )
  for (const sends of Map.groupBy(due, ({ mailbox_id }) => mailbox_id).values()) {
    const found = await findInSent(ctx, sends)
    for (const send of sends) {
      if (found.has(send.id)) await settlements.add(arrived(ctx, send))
      else await lookAgain(ctx, send)
    }
  }
}

async function findInSent(ctx: Context, sends: UncertainSend[]): Promise<Set<string>> {
  const [first] = sends
  const found = new Set<string>()
  if (!first) return found
  try {
    await withImap(ctx, first.workspace_id, first.mailbox_id, async (imap, sent) => {
      if (!sent) return
      await imap.select(sent.path)
      for (const { id, message_id } of sends) {
        if ((await imap.findByMessageId(message_id)).length > 0) found.add(id)
      }
    })
  } catch (error) {
    // The mailbox may be gone, or its server not to be reached: there is another time.
    const { name } = error as Error
    if (!(error instanceof MailFailure) && name !== 'AppError') throw error
    ctx.log.warn(describeError(error), 'uncertain mails were not looked for')
  }
  return found
}

async function lookAgain(ctx: Context, send: UncertainSend) {
  const ageMs = ctx.now().getTime() - send.timestamp_transmitting.getTime()
  const nextMs = looksMs.find((ms) => ms > ageMs)
  const at = nextMs === undefined ? null : new Date(send.timestamp_transmitting.getTime() + nextMs)
  await postponeLook(ctx.db, send, at)
}

/** What is uncertain is recorded already: only its state changes. */
export const arrived = (
  ctx: Context,
  send: Pick<UncertainSend, 'workspace_id' | 'lead_id' | 'step_id' | 'id' | 'campaign_id'>,
): Settlement => ({
  workspace_id: send.workspace_id,
  lead_id: send.lead_id,
  step_id: send.step_id,
  id: send.id,
  campaign_id: send.campaign_id,
  outcome: { kind: 'sent' },
  at: ctx.now(),
  mailbox: '',
  recipient: '',
  threadSubject: null,
  mail: null,
  nextSendAt: null,
})
