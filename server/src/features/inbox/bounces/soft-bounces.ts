import type { Context } from '../../../kernel/context.ts'
import { dayMs } from '../../../kernel/durations.ts'
import type { MatchedMessage } from '../matching/matched-messages.ts'
import * as queries from './soft-bounce-queries.ts'

/** Mails in a row that could not be delivered, each of which by itself says nothing for good. */
const inARowMax = 5
/** After so long nothing comes back any more: servers try for up to five days, and most for less. */
const silenceMs = 3 * dayMs

/**
 * Counts the soft bounces of addresses, in all campaigns of the workspace, by mails and not by
 * reports: five mails in a row that came back are as good as an address that does not exist.
 *
 * The row ends with an answer of any kind, an open, a click, or a mail that nothing was heard of for
 * three days. A report that a mail is late counts for neither: it may arrive, or still come back. One
 * that cites no mail of ours counts for nothing: anybody can send five of them.
 *
 * @returns the messages that tell of the last mail of such a row
 */
export async function findRepeatedSoftBounces(
  tx: Context,
  workspaceId: string,
  matched: MatchedMessage[],
): Promise<Set<MatchedMessage>> {
  const answers = matched.filter(({ isFromLead, lead }) => isFromLead && lead.has_soft_bounces)
  if (answers.length > 0) await queries.forgetSoftBounces(tx.db, workspaceId, addressesOf(answers))
  const soft = matched.filter(({ bounce, isProven }) => isProven && bounce?.kind === 'soft')
  if (soft.length === 0) return new Set()
  await queries.noteSoftBounces(tx.db, workspaceId, notesOf(soft), tx.now())
  const final = soft.filter(({ bounce }) => !bounce?.isDelay)
  const histories = await queries.findHistories(tx.db, workspaceId, addressesOf(final))
  const byAddress = Map.groupBy(histories, ({ email_folded }) => email_folded)
  const last = new Map(final.map((each) => [each.lead.email_folded, each]))
  return new Set(
    [...last.values()].filter(
      ({ lead }) => countInARow(byAddress.get(lead.email_folded) ?? [], tx.now()) >= inARowMax,
    ),
  )
}

/** @param mails to one address, the newest first */
export function countInARow(mails: queries.MailHistory[], now: Date): number {
  const seenMs = Math.max(...mails.map(({ seen_at }) => seen_at?.getTime() ?? 0))
  let count = 0
  for (const { sent_at, report } of mails) {
    if (seenMs >= sent_at.getTime()) break
    if (report === 'failed') count += 1
    else if (report === null && now.getTime() - sent_at.getTime() >= silenceMs) break
  }
  return count
}

const addressesOf = (matched: MatchedMessage[]) => [
  ...new Set(matched.map(({ lead }) => lead.email_folded)),
]

/** One for each mail; that it failed is the last word. */
function notesOf(matched: MatchedMessage[]): queries.SoftBounce[] {
  const notes = new Map<string, queries.SoftBounce>()
  for (const { lead, sent, bounce } of matched) {
    if (!sent) continue
    const key = `${lead.email_folded} ${sent.id}`
    const is_failed = notes.get(key)?.is_failed || !bounce?.isDelay
    notes.set(key, { email_folded: lead.email_folded, send_id: sent.id, is_failed })
  }
  return [...notes.values()]
}
