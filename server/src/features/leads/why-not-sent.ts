import type { Context } from '../../kernel/context.ts'
import { findSuppressed } from '../suppression/index.ts'
import { hasFailedTemplate, isFinal, isHeldBack, type StoredLead } from './record.ts'

type Standing = Pick<
  StoredLead,
  'workspace_id' | 'email_folded' | 'sending_state' | 'stop_reason' | 'skip_reason'
>

/** What keeps a lead from getting anything, as a sentence; none while it is written to. */
export async function whyNotSent(ctx: Context, lead: Standing): Promise<string[]> {
  const never = await whyNeverSent(ctx, lead)
  if (never.length > 0 || lead.sending_state !== 'paused') return never
  if (!isHeldBack(lead)) return ['Nothing is sent to this lead for now: it is paused.']
  return [`Nothing is sent to this lead for now, because its ${whyHeldBack(lead)}`]
}

/** What became of the mail of a lead that is held back, and how it goes on. */
export function whyHeldBack(lead: Pick<Standing, 'sending_state' | 'stop_reason' | 'skip_reason'>) {
  const [what, then] = hasFailedTemplate(lead)
    ? ['cannot be made', 'It goes on by itself once its values or the text are changed.']
    : ['was refused', 'Resume it to try again.']
  return `mail ${what}${reasonOf(lead)}. ${then}`
}

/** What keeps it from that for good, as far as anybody knows. */
export async function whyNeverSent({ db }: Context, lead: Standing): Promise<string[]> {
  const { workspace_id, email_folded, sending_state } = lead
  const suppressed = (await findSuppressed(db, workspace_id, [email_folded])).get(email_folded)
  const why = [
    ...(suppressed ? [`its address is suppressed (${suppressed})`] : []),
    // A stop that is final is what being suppressed came to.
    ...(sending_state === 'stopped' && !(suppressed && isFinal(lead.stop_reason))
      ? [`it is stopped${reasonOf(lead)}`]
      : []),
    ...(sending_state === 'finished' ? [`it is finished${reasonOf(lead)}`] : []),
  ]
  const what = sending_state === 'finished' ? 'Nothing more' : 'Nothing'
  return why.length > 0 ? [`${what} is sent to this lead: ${why.join(', and ')}.`] : []
}

/** Why a mail was left out is a code and a sentence for people. */
function reasonOf({
  stop_reason,
  skip_reason,
}: Pick<Standing, 'stop_reason' | 'skip_reason'>): string {
  const reason = stop_reason ?? skip_reason
  const sentence = reason && /^\w+: (.+)$/s.exec(reason)?.[1]
  return reason === null ? '' : sentence ? `: ${sentence.replace(/\.$/, '')}` : ` (${reason})`
}
