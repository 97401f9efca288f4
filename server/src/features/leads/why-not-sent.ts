import type { Context } from '../../kernel/context.ts'
import { findSuppressed } from '../suppression/index.ts'
import type { StoredLead } from './record.ts'

type Standing = Pick<
  StoredLead,
  'workspace_id' | 'email_folded' | 'sending_state' | 'stop_reason' | 'skip_reason'
>

/** What keeps a lead from getting anything, as sentences; none while it is written to. */
export async function whyNotSent(ctx: Context, lead: Standing): Promise<string[]> {
  const isPaused = lead.sending_state === 'paused'
  const why = isPaused
    ? [`Nothing is sent to this lead for now: it is paused${reasonOf(lead)}.`]
    : []
  return [...(await whyNeverSent(ctx, lead)), ...why]
}

/** What keeps it from that for good, as far as anybody knows. */
export async function whyNeverSent({ db }: Context, lead: Standing): Promise<string[]> {
  const { workspace_id, email_folded, sending_state } = lead
  const suppressed = (await findSuppressed(db, workspace_id, [email_folded])).get(email_folded)
  const why: string[] = []
  if (suppressed) {
    why.push(`Nothing is sent to this lead: its address is suppressed (${suppressed}).`)
  }
  if (sending_state === 'stopped') {
    why.push(`Nothing is sent to this lead: it is stopped${reasonOf(lead)}.`)
  }
  if (sending_state === 'finished') {
    why.push(`Nothing more is sent to this lead: it is finished${reasonOf(lead)}.`)
  }
  return why
}

/** Why a mail was left out is a code and a sentence for people. */
function reasonOf({ stop_reason, skip_reason }: Standing): string {
  const reason = stop_reason ?? skip_reason
  const sentence = reason && /^\w+: (.+)$/s.exec(reason)?.[1]
  return reason === null ? '' : sentence ? `: ${sentence.replace(/\.$/, '')}` : ` (${reason})`
}
