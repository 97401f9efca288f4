import type { Batcher } from '../../../kernel/batcher.ts'
import type { ProcessContext } from '../../../kernel/context.ts'
import type { ComposedMail } from '../../messages/index.ts'
import { markTrustedMs } from '../lanes/lane.ts'
import type { ClaimedMail } from '../next-mail/next-action.ts'
import type { Draft } from './draft.ts'
import type { Mark } from './mark-queries.ts'

/**
 * Looks a last time whether anything speaks against the mail, and notes in the ledger that its end is
 * about to be sent. Those behind it are looked at and noted in the same statement; each of them is
 * looked at again when its turn comes too late.
 *
 * @returns whether it may be finished
 */
export function markDraft(
  ctx: ProcessContext,
  draft: Draft,
  behind: Draft[],
  marks: Batcher<Mark, boolean>,
): Promise<boolean> {
  const [at, atMs] = [ctx.now().getTime(), ctx.monotonicMs()]
  const { marking } = draft
  if (marking && isTrusted(at - marking.at) && isTrusted(atMs - marking.atMs)) return marking.answer
  const markOne = (each: Draft, mail: ComposedMail) => {
    const answer = marks.add(markOf(each.claimed, mail))
    // Its error is for whoever awaits it later.
    answer.catch(() => undefined)
    each.marking = { answer, at, atMs }
    return answer
  }
  const [answer = Promise.resolve(false)] = [draft, ...behind].flatMap((each) =>
    'mail' in each.made ? [markOne(each, each.made.mail)] : [],
  )
  return answer
}

/** A clock that was put back tells nothing. */
const isTrusted = (ageMs: number) => ageMs >= 0 && ageMs <= markTrustedMs

const markOf = ({ claim }: ClaimedMail, mail: ComposedMail): Mark => ({
  workspace_id: claim.workspace_id,
  lead_id: claim.lead_id,
  step_id: claim.step_id,
  id: claim.id,
  attempt: claim.attempt,
  campaign_id: claim.campaign_id,
  mailbox_id: claim.mailbox_id,
  subject: mail.subject,
  starts_thread: mail.startsThread,
  after_step_id: claim.after_step_id,
  campaign_version: claim.campaign_version,
  mailbox_version: claim.mailbox_version,
  until: claim.until,
})
