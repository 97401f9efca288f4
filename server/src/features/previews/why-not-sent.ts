import type { Context } from '../../kernel/context.ts'
import type { Campaign } from '../campaigns/index.ts'
import type { findLead } from '../leads/index.ts'
import { findMailboxes } from '../mailboxes/index.ts'
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

/** Why the conversation with a lead does not go on from the mailbox that it is in. */
export async function whyMailboxWaits(
  { db }: Context,
  { workspace_id, email_list }: Pick<Campaign, 'workspace_id' | 'email_list'>,
  { sending_state, mailbox_id }: Lead,
): Promise<string[]> {
  if (sending_state !== 'active' || !mailbox_id) return []
  const [mailbox] = await findMailboxes(db, workspace_id, [mailbox_id])
  if (!mailbox) {
    return [
      'The mailbox of its conversation was removed: add it again, or hand its conversations over to another one.',
    ]
  }
  const { address, status } = mailbox
  if (!email_list.includes(address)) {
    return [
      `Its conversation is in ${address}, which the campaign does not send from any more: add the mailbox under Options, or hand its conversations over to another one.`,
    ]
  }
  if (status === 'connected') return []
  return [
    `Its conversation is in ${address}, which ${status === 'paused' ? 'is paused' : 'does not work'}: look at the mailbox, or hand its conversations over to another one.`,
  ]
}
