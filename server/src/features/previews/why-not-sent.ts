import type { Context } from '../../kernel/context.ts'
import type { findLead } from '../leads/index.ts'
import { findSuppressed } from '../suppression/index.ts'

type Lead = NonNullable<Awaited<ReturnType<typeof findLead>>>

/** What keeps a lead from getting anything, as a sentence; nothing while it is written to. */
export async function whyNotSent({ db }: Context, lead: Lead): Promise<string[]> {
  const { workspace_id, email_folded, sending_state, stop_reason, skip_reason } = lead
  const suppressed = (await findSuppressed(db, workspace_id, [email_folded])).get(email_folded)
  const state = whyNotInState(sending_state, stop_reason ?? skip_reason)
  return [
    ...(suppressed
      ? [`Nothing is sent to this lead: its address is suppressed (${suppressed}).`]
      : []),
    ...(state ? [state] : []),
  ]
}

function whyNotInState(state: Lead['sending_state'], reason: string | null): string | undefined {
  // Why a mail was left out is a code and a sentence for people.
  const sentence = reason && /^\w+: (.+)$/s.exec(reason)?.[1]
  const why = reason === null ? '' : sentence ? `: ${sentence.replace(/\.$/, '')}` : ` (${reason})`
  if (state === 'stopped') return `Nothing is sent to this lead: it is stopped${why}.`
  if (state === 'finished') return `Nothing more is sent to this lead: it is finished${why}.`
  if (state === 'paused') return `Nothing is sent to this lead for now: it is paused${why}.`
  return undefined
}
