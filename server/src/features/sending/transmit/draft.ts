import type { ProcessContext } from '../../../kernel/context.ts'
import { shareLoop } from '../../../kernel/loop-share.ts'
import type { Envelope } from '../../../kernel/mail/index.ts'
import { type CompiledStep, type ComposedMail, compose } from '../../messages/index.ts'
import type { LinkMaker } from '../../tracking/index.ts'
import type { SenderParts } from '../lanes/sender-parts.ts'
import type { ClaimedMail } from '../next-mail/next-action.ts'
import { threadOf } from './thread.ts'

/** A claimed mail as it will be sent, or why it cannot be made. */
export interface Draft {
  claimed: ClaimedMail
  made: ReadyMail | { error: unknown }
  /** Called once the mail is settled, or not sent after all. */
  free: () => void
  marking?: Marking
}

/** A composed mail with what its server is told of it. */
export interface ReadyMail {
  mail: ComposedMail
  envelope: Envelope
  /** Copies to local parts beyond ASCII, which a server without SMTPUTF8 (RFC 6531) does not take. */
  utf8Copies: string[]
  /** The mail without those copies, in its header too; null where there are none. */
  withoutUtf8Copies: (() => ComposedMail) | null
}

/** What the ledger answers to the mark of a mail, and when it was asked. */
interface Marking {
  answer: Promise<boolean>
  /** When it was asked, by the wall clock. */
  at: number
  /** When it was asked, by the monotonic clock, which stands still while the machine sleeps. */
  atMs: number
}

type DraftParts = Pick<SenderParts, 'links' | 'room'>

/** Makes the mail as soon as there is room for it. */
export async function draftMail(
  ctx: ProcessContext,
  claimed: ClaimedMail,
  parts: DraftParts,
): Promise<Draft> {
  const { workspace_id } = claimed.claim
  return parts.room.make(workspace_id, () => makeDraft(ctx, claimed, parts))
}

/** A mail behind one that is made already, unless there is no room for it. */
export async function draftNext(
  ctx: ProcessContext,
  claimed: ClaimedMail,
  parts: DraftParts,
): Promise<Draft | undefined> {
  const { workspace_id } = claimed.claim
  return parts.room.makeIfRoom(workspace_id, () => makeDraft(ctx, claimed, parts))
}

async function makeDraft(
  ctx: ProcessContext,
  claimed: ClaimedMail,
  { links, room }: DraftParts,
): Promise<Draft> {
  try {
    const { campaign, claim } = claimed
    const compiled = await campaign.compiled(ctx.db, claim.step_id, claim.variant_id)
    const mail = await shareLoop(ctx, () => composeMail(ctx, claimed, compiled, links))
    const free = room.take(claim.workspace_id, bytesOf(mail))
    const without = withoutUtf8Copies(ctx, claimed, compiled, links)
    return { claimed, made: { mail, envelope: envelopeOf(mail), ...without }, free }
  } catch (error) {
    return { claimed, made: { error }, free: () => undefined }
  }
}

/** Made apart: a draft without such copies must not keep the parsed template, which may have megabytes. */
function withoutUtf8Copies(
  ctx: ProcessContext,
  claimed: ClaimedMail,
  compiled: CompiledStep,
  links: LinkMaker,
): Pick<ReadyMail, 'utf8Copies' | 'withoutUtf8Copies'> {
  const copies = [...compiled.cc, ...compiled.bcc].filter(({ needsUtf8 }) => needsUtf8)
  if (copies.length === 0) return noUtf8Copies
  const ascii = {
    ...compiled,
    cc: compiled.cc.filter(({ needsUtf8 }) => !needsUtf8),
    bcc: compiled.bcc.filter(({ needsUtf8 }) => !needsUtf8),
  }
  return {
    utf8Copies: copies.map(({ address }) => address),
    withoutUtf8Copies: () => composeMail(ctx, claimed, ascii, links),
  }
}

const noUtf8Copies = { utf8Copies: [], withoutUtf8Copies: null }

function bytesOf({ bytes, copy, text, html }: ComposedMail): number {
  const ofCopy = copy && copy !== bytes ? copy.length : 0
  return bytes.length + ofCopy + text.length + (html?.length ?? 0)
}

function composeMail(
  ctx: ProcessContext,
  { claim, mailbox }: ClaimedMail,
  compiled: CompiledStep,
  links: LinkMaker,
) {
  const address = mailbox.address ?? ''
  return compose(compiled, {
    lead: claim.lead,
    mailbox: {
      address,
      display_name: mailbox.display_name,
      signature: mailbox.signature,
    },
    messageId: claim.message_id,
    thread: threadOf(claim),
    at: ctx.now(),
    links: links.of({ address, sends_locally: mailbox.sends_locally }),
    keepsCopy: mailbox.saves_sent,
  })
}

export const envelopeOf = (mail: ComposedMail): Envelope => ({
  from: mail.from,
  to: mail.recipients,
  sizeBytes: mail.sizeBytes,
  utf8: mail.needsUtf8,
})
