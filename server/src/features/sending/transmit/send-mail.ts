import type { ProcessContext } from '../../../kernel/context.ts'
import { type Envelope, MailFailure, type SmtpConnection } from '../../../kernel/mail/index.ts'
import { type RefusedCopy, TemplateError } from '../../campaigns/index.ts'
import { type ComposedMail, MailRefused } from '../../messages/index.ts'
import type { Lane } from '../lanes/lane.ts'
import type { SenderParts } from '../lanes/sender-parts.ts'
import type { Claim } from '../ledger.ts'
import { CampaignChanged } from '../next-mail/campaign-cache.ts'
import type { ClaimedMail } from '../next-mail/next-action.ts'
import type { Settlement } from '../settle/settlement.ts'
import {
  classifyFailure,
  errorOf,
  type MailboxTrouble,
  mayBeOfMailbox,
  printable,
  senderTrouble,
} from './classify-failure.ts'
import type { Connections, SendingMailbox } from './connections.ts'
import { type Draft, envelopeOf, type ReadyMail } from './draft.ts'
import { markDraft } from './marking.ts'
import type { Outcome } from './outcome.ts'

type SendParts = Pick<
  SenderParts,
  'connections' | 'refusedInRow' | 'copies' | 'marks' | 'settlements' | 'guard'
>

/** A failure after which the mailbox sends nothing more for now, and what it means for the mailbox. */
export interface MailboxFailure {
  failure: MailFailure
  trouble: MailboxTrouble
}

/** What is known of an attempt, before it is put into the ledger. */
interface Attempt {
  outcome: Outcome
  mail: ComposedMail | null
  /** The mail was sent without these. */
  refusedCopies?: NotedCopy[]
  mailboxFailure: MailboxFailure | null
  /** Something spoke against the mail, so that nothing of it was sent. */
  isRefused?: true
}

type AttemptOutcome = Pick<Attempt, 'outcome' | 'isRefused'>

type NotedCopy = Omit<RefusedCopy, 'campaign_id'>

/**
 * Sends one claimed mail: begun, marked in the ledger, finished, settled.
 *
 * @param behind go out over the same connection at once, and are marked with it: a burst needs one
 *   commit for several mails
 * @returns the failure of the mailbox, whether something spoke against it meanwhile, and the settling: it is under way
 *   when this returns
 */
export async function sendMail(
  ctx: ProcessContext,
  lane: Lane,
  draft: Draft,
  behind: Draft[],
  parts: SendParts,
): Promise<{
  mailboxFailure: MailboxFailure | null
  isRefused: boolean
  settled: Promise<boolean>
}> {
  const { claimed } = draft
  const {
    outcome,
    mail,
    refusedCopies,
    mailboxFailure,
    isRefused = false,
  } = await attempt(ctx, lane, draft, behind, parts)
  if (outcome.kind === 'failed') parts.guard.marked.forget(claimed.claim.id)
  const settled = parts.settlements.add(settlementOf(ctx, claimed, outcome, mail, refusedCopies))
  if (mail?.copy && outcome.kind === 'sent') {
    const copy = { messageId: claimed.claim.message_id, bytes: mail.copy }
    const keep = () => parts.copies.add(lane.workspaceId, lane.mailboxId, copy)
    settled.then(keep, () => undefined)
  }
  return { mailboxFailure, isRefused, settled }
}

/** Gives a claim back that nothing was done about. */
export function releaseMail(ctx: ProcessContext, claimed: ClaimedMail, parts: SendParts) {
  parts.guard.marked.forget(claimed.claim.id)
  return parts.settlements.add(settlementOf(ctx, claimed, released, null))
}

/** Settles a mail whose sending failed unexpectedly: by how far it had come. */
export const abandonMail = (ctx: ProcessContext, claimed: ClaimedMail, parts: SendParts) =>
  parts.settlements.add(settlementOf(ctx, claimed, { kind: 'abandoned' }, null))

const released: Outcome = {
  kind: 'failed',
  error: { stage: 'claim', code: null, message: 'Its mailbox had to stop before it.' },
  effect: { kind: 'again' },
}

/** Something speaks against it that did not when it was claimed: the lead replied, the window closed … */
const noLongerEligible: AttemptOutcome = {
  outcome: {
    kind: 'failed',
    error: { stage: 'claim', code: null, message: 'It was not to be sent any more.' },
    effect: { kind: 'again' },
  },
  isRefused: true,
}

async function attempt(
  ctx: ProcessContext,
  lane: Lane,
  draft: Draft,
  behind: Draft[],
  parts: SendParts,
): Promise<Attempt> {
  const { claimed, made } = draft
  if ('error' in made) {
    return { ...composeFailure(made.error, claimed.claim), mail: null, mailboxFailure: null }
  }
  let { mail } = made
  let connection: SmtpConnection | undefined
  try {
    const begun = await beginReady(claimed.mailbox, made, parts.connections)
    connection = begun.connection
    mail = begun.mail
    const { refusedCopies } = begun
    if (!(await markDraft(ctx, draft, behind.slice(0, lane.marksAhead), parts.marks))) {
      await connection.close()
      return { ...noLongerEligible, mail, mailboxFailure: null }
    }
    const next = behind[0]?.made
    await connection.finish(mail.bytes, next && 'mail' in next ? next.envelope : undefined)
    parts.refusedInRow.end(lane.mailboxId)
    return { outcome: { kind: 'sent' }, mail, refusedCopies, mailboxFailure: null }
  } catch (failure) {
    if (!(failure instanceof MailFailure)) {
      await connection?.close()
      throw failure
    }
    const classified = classifyFailure(failure, {
      attempt: claimed.claim.attempt,
      now: ctx.now(),
      random: ctx.random(),
    })
    const { outcome } = classified
    const isOfMailbox =
      mayBeOfMailbox(failure, classified) &&
      parts.refusedInRow.add(lane.mailboxId, claimed.claim.lead.email, failure)
    const trouble = isOfMailbox ? senderTrouble(failure) : classified.trouble
    return { outcome, mail, mailboxFailure: trouble && { failure, trouble } }
  } finally {
    if (connection) parts.connections.putBack(lane.mailboxId, connection)
  }
}

/** What becomes of a mail that cannot be made: its lead waits until that is mended, and nobody gets half a mail. */
function composeFailure(error: unknown, { lead, campaign_version }: Claim): AttemptOutcome {
  if (error instanceof CampaignChanged) return noLongerEligible
  if (!(error instanceof MailRefused || error instanceof TemplateError)) throw error
  const detail = printable(error.message)
  const madeOf = { lead: lead.timestamp_updated, campaign: campaign_version }
  return {
    outcome: {
      kind: 'failed',
      error: { stage: 'compose', code: null, message: detail },
      effect: { kind: 'skip', reason: 'template_failed', detail, madeOf },
    },
  }
}

/** Without the copies that the server has no way to address, where the rest of the mail needs none. */
async function beginReady(mailbox: SendingMailbox, made: ReadyMail, connections: Connections) {
  try {
    const begun = await beginWithCopies(mailbox, made.envelope, connections)
    return { ...begun, mail: made.mail }
  } catch (failure) {
    const isOfUtf8 = failure instanceof MailFailure && failure.enhanced === notAscii
    if (!isOfUtf8 || !made.withoutUtf8Copies) throw failure
    const mail = made.withoutUtf8Copies()
    if (mail.needsUtf8) throw failure
    const { connection, refusedCopies } = await beginWithCopies(
      mailbox,
      envelopeOf(mail),
      connections,
    )
    const left = made.utf8Copies.map((address) => ({ address, ...copyErrorOf(failure) }))
    return { connection, refusedCopies: [...left, ...refusedCopies], mail }
  }
}

/** RFC 6531 §3.5: an address that needs SMTPUTF8 where the server has none. */
const notAscii = '5.6.7'

const copyErrorOf = (failure: MailFailure) => {
  const { code, message } = errorOf(failure)
  return { code, message }
}

/**
 * Without the copies that the server refuses: whoever is written to gets the mail all the same. The
 * first recipient is the lead.
 */
async function beginWithCopies(
  mailbox: SendingMailbox,
  envelope: Envelope,
  connections: Connections,
) {
  const refusedCopies: NotedCopy[] = []
  for (let left = envelope; ; ) {
    try {
      return { connection: await beginMail(mailbox, left, connections), refusedCopies }
    } catch (failure) {
      if (!(failure instanceof MailFailure) || !isOfCopy(failure, envelope)) throw failure
      const address = failure.recipient ?? ''
      refusedCopies.push({ address, ...copyErrorOf(failure) })
      left = { ...left, to: left.to.filter((each) => each !== address) }
    }
  }
}

const isOfCopy = ({ stage, kind, recipient }: MailFailure, { to: [lead] }: Envelope) =>
  stage === 'rcpt' && kind === 'refused' && recipient !== null && recipient !== lead

/** A kept connection may have been closed meanwhile: then another one is made, once. */
export async function beginMail(
  mailbox: SendingMailbox,
  envelope: Envelope,
  connections: Connections,
): Promise<SmtpConnection> {
  const kept = connections.take(mailbox)
  if (kept) {
    try {
      return await beginOn(kept, mailbox, envelope, connections)
    } catch (failure) {
      if (kept.isOpen || !(failure instanceof MailFailure)) throw failure
    }
  }
  return beginOn(await connections.open(mailbox), mailbox, envelope, connections)
}

/** A refusal leaves the connection usable. */
async function beginOn(
  connection: SmtpConnection,
  { mailbox_id }: SendingMailbox,
  envelope: Envelope,
  connections: Connections,
): Promise<SmtpConnection> {
  try {
    await connection.begin(envelope)
    return connection
  } catch (failure) {
    connections.putBack(mailbox_id, connection)
    throw failure
  }
}

function settlementOf(
  ctx: ProcessContext,
  { claim, campaign, mailbox }: ClaimedMail,
  outcome: Outcome,
  mail: ComposedMail | null,
  refusedCopies: NotedCopy[] = [],
): Settlement {
  return {
    workspace_id: claim.workspace_id,
    lead_id: claim.lead_id,
    step_id: claim.step_id,
    id: claim.id,
    campaign_id: claim.campaign_id,
    outcome,
    at: ctx.now(),
    mailbox: mailbox.address ?? '',
    recipient: claim.lead.email,
    threadSubject: mail?.threadSubject ?? claim.lead.thread_subject,
    mail: mail && {
      text: mail.text,
      html: mail.html,
      cc_addresses: without(campaign.cc_list, refusedCopies),
      refused_copies: refusedCopies,
      in_reply_to: mail.startsThread ? null : (claim.earlier.at(-1)?.message_id ?? null),
      size_bytes: mail.sizeBytes,
    },
    gapSeconds: mailbox.gap_seconds,
  }
}

function without(addresses: string[], refused: NotedCopy[]): string[] {
  if (refused.length === 0) return addresses
  const isRefused = new Set(refused.map(({ address }) => address.toLowerCase()))
  return addresses.filter((address) => !isRefused.has(address.toLowerCase()))
}
