import type { Batcher } from '../../kernel/batcher.ts'
import type { Context } from '../../kernel/context.ts'
import { shareLoop } from '../../kernel/loop-share.ts'
import { type Envelope, MailFailure, type SmtpConnection } from '../../kernel/mail/index.ts'
import { type RefusedCopy, TemplateError } from '../campaigns/index.ts'
import { type CompiledStep, type ComposedMail, compose, MailRefused } from '../messages/index.ts'
import type { LinkMaker } from '../tracking/index.ts'
import { CampaignChanged } from './campaign-book.ts'
import type { Connections } from './connections.ts'
import type { DraftRoom } from './draft-room.ts'
import type { Lane } from './lane.ts'
import type { Outcome } from './outcome.ts'
import type { ClaimedMail } from './plan-lanes.ts'
import type { SentCopies } from './sent-copies.ts'
import type { Settlement } from './settle.ts'
import type { Mark } from './settle-queries.ts'
import type { Settlements } from './settlements.ts'
import { threadOf } from './thread.ts'
import { errorOf, judge, printable, type Trouble } from './verdict.ts'

export interface CourierParts {
  connections: Connections
  copies: SentCopies
  links: LinkMaker
  room: DraftRoom
  marks: Batcher<Mark, boolean>
  settlements: Settlements
}

/** Trouble that keeps the mailbox from sending on. */
export interface Setback {
  failure: MailFailure
  trouble: Trouble
}

/** What is known of an attempt, before it is put into the ledger. */
interface Attempt {
  outcome: Outcome
  mail: ComposedMail | null
  /** It was sent without these. */
  refusedCopies?: NotedCopy[]
  setback: Setback | null
}

type NotedCopy = Omit<RefusedCopy, 'campaign_id'>

/** A claimed mail as it will be sent, or why it cannot be made. */
export interface Draft {
  claimed: ClaimedMail
  made: Made | { error: unknown }
  /** It is settled, or not sent after all. */
  free: () => void
}

interface Made {
  mail: ComposedMail
  envelope: Envelope
  /** Copies to local parts beyond ASCII, which a server without SMTPUTF8 (RFC 6531) does not take. */
  utf8Copies: string[]
  /** The same mail without them, in its header too. */
  withoutUtf8Copies: () => ComposedMail
}

/** Makes the mail as soon as there is room for it. */
export async function draftMail(
  ctx: Context,
  claimed: ClaimedMail,
  parts: CourierParts,
): Promise<Draft> {
  const { workspace_id } = claimed.claim
  return parts.room.make(workspace_id, () => makeDraft(ctx, claimed, parts))
}

/** The mail behind one that is made already, unless there is no room for it. */
export async function draftNext(
  ctx: Context,
  claimed: ClaimedMail,
  parts: CourierParts,
): Promise<Draft | undefined> {
  const { workspace_id } = claimed.claim
  return parts.room.makeIfRoom(workspace_id, () => makeDraft(ctx, claimed, parts))
}

async function makeDraft(
  ctx: Context,
  claimed: ClaimedMail,
  { links, room }: CourierParts,
): Promise<Draft> {
  try {
    const { campaign, claim } = claimed
    const compiled = await campaign.compiled(ctx.db, claim.step_id, claim.variant_id)
    const mail = await shareLoop(ctx, () => composeMail(ctx, claimed, compiled, links))
    const ascii = {
      ...compiled,
      cc: compiled.cc.filter(({ needsUtf8 }) => !needsUtf8),
      bcc: compiled.bcc.filter(({ needsUtf8 }) => !needsUtf8),
    }
    const utf8Copies = [...compiled.cc, ...compiled.bcc].filter(({ needsUtf8 }) => needsUtf8)
    const free = room.take(claim.workspace_id, bytesOf(mail))
    return {
      claimed,
      made: {
        ...{ mail, envelope: envelopeOf(mail) },
        utf8Copies: utf8Copies.map(({ address }) => address),
        withoutUtf8Copies: () => composeMail(ctx, claimed, ascii, links),
      },
      free,
    }
  } catch (error) {
    return { claimed, made: { error }, free: () => undefined }
  }
}

function bytesOf({ bytes, copy, text, html }: ComposedMail): number {
  const ofCopy = copy && copy !== bytes ? copy.length : 0
  return bytes.length + ofCopy + text.length + (html?.length ?? 0)
}

/**
 * Sends one claimed mail: begun, marked in the ledger, finished, settled.
 *
 * @param next goes out over the same connection at once
 * @returns the setback, whether something spoke against it meanwhile, and the settling: it is under way
 *   when this returns
 */
export async function sendMail(
  ctx: Context,
  lane: Lane,
  draft: Draft,
  next: Draft | undefined,
  parts: CourierParts,
): Promise<{ setback: Setback | null; isRefused: boolean; settled: Promise<boolean> }> {
  const { claimed } = draft
  const { outcome, mail, refusedCopies, setback } = await attempt(ctx, lane, draft, next, parts)
  const settled = parts.settlements.add(settlementOf(ctx, claimed, outcome, mail, refusedCopies))
  if (mail?.copy && outcome.kind === 'sent') {
    const copy = { messageId: claimed.claim.message_id, bytes: mail.copy }
    const keep = () => parts.copies.add(lane.workspaceId, lane.mailboxId, copy)
    settled.then(keep, () => undefined)
  }
  return { setback, isRefused: outcome === notAnyMore, settled }
}

/** Gives a claim back that nothing was done about. */
export const releaseMail = (ctx: Context, claimed: ClaimedMail, parts: CourierParts) =>
  parts.settlements.add(settlementOf(ctx, claimed, released, null))

/** Settles a mail whose sending failed unexpectedly: by how far it had come. */
export const abandonMail = (ctx: Context, claimed: ClaimedMail, parts: CourierParts) =>
  parts.settlements.add(settlementOf(ctx, claimed, { kind: 'abandoned' }, null))

const released: Outcome = {
  kind: 'failed',
  error: { stage: 'claim', code: null, message: 'Its mailbox had to stop before it.' },
  aftermath: { kind: 'again' },
}

/** A gate that was open at the claim is closed: the lead replied, the window closed … */
const notAnyMore: Outcome = {
  kind: 'failed',
  error: { stage: 'claim', code: null, message: 'It was not to be sent any more.' },
  aftermath: { kind: 'again' },
}

async function attempt(
  ctx: Context,
  lane: Lane,
  { claimed, made }: Draft,
  next: Draft | undefined,
  parts: CourierParts,
): Promise<Attempt> {
  if ('error' in made) return { outcome: unfit(made.error), mail: null, setback: null }
  let { mail } = made
  let connection: SmtpConnection | undefined
  try {
    const begun = await beginMade(lane, made, parts.connections)
    connection = begun.connection
    mail = begun.mail
    const { refusedCopies } = begun
    if (!(await parts.marks.add(markOf(claimed, mail)))) {
      await connection.close()
      return { outcome: notAnyMore, mail, setback: null }
    }
    await connection.finish(
      mail.bytes,
      next && 'mail' in next.made ? next.made.envelope : undefined,
    )
    return { outcome: { kind: 'sent' }, mail, refusedCopies, setback: null }
  } catch (failure) {
    if (!(failure instanceof MailFailure)) {
      await connection?.close()
      throw failure
    }
    const { outcome, trouble } = judge(failure, {
      attempt: claimed.claim.attempt,
      now: ctx.now(),
      random: ctx.random(),
    })
    return { outcome, mail, setback: trouble && { failure, trouble } }
  } finally {
    if (connection) parts.connections.putBack(lane.mailboxId, connection)
  }
}

function composeMail(
  ctx: Context,
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

/** The lead waits for a person, and nobody gets half a mail. */
function unfit(error: unknown): Outcome {
  if (error instanceof CampaignChanged) return notAnyMore
  if (!(error instanceof MailRefused || error instanceof TemplateError)) throw error
  const detail = printable(error.message)
  return {
    kind: 'failed',
    error: { stage: 'compose', code: null, message: detail },
    aftermath: { kind: 'skip', reason: 'template_failed', detail },
  }
}

/** Without the copies that the server has no way to address, where the rest of the mail needs none. */
async function beginMade(lane: Lane, made: Made, connections: Connections) {
  try {
    const begun = await beginWithCopies(lane, made.envelope, connections)
    return { ...begun, mail: made.mail }
  } catch (failure) {
    const isOfUtf8 = failure instanceof MailFailure && failure.enhanced === notAscii
    if (!isOfUtf8 || made.utf8Copies.length === 0) throw failure
    const mail = made.withoutUtf8Copies()
    if (mail.needsUtf8) throw failure
    const { connection, refusedCopies } = await beginWithCopies(lane, envelopeOf(mail), connections)
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
async function beginWithCopies(lane: Lane, envelope: Envelope, connections: Connections) {
  const refusedCopies: NotedCopy[] = []
  for (let left = envelope; ; ) {
    try {
      return { connection: await begin(lane, left, connections), refusedCopies }
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
export async function begin(
  lane: Lane,
  envelope: Envelope,
  connections: Connections,
): Promise<SmtpConnection> {
  const kept = connections.take(lane.mailboxId)
  if (kept) {
    try {
      return await beginOn(kept, lane, envelope, connections)
    } catch (failure) {
      if (kept.isOpen || !(failure instanceof MailFailure)) throw failure
    }
  }
  return beginOn(await connections.open(lane), lane, envelope, connections)
}

/** A refusal leaves the connection usable. */
async function beginOn(
  connection: SmtpConnection,
  lane: Lane,
  envelope: Envelope,
  connections: Connections,
): Promise<SmtpConnection> {
  try {
    await connection.begin(envelope)
    return connection
  } catch (failure) {
    connections.putBack(lane.mailboxId, connection)
    throw failure
  }
}

export const envelopeOf = (mail: ComposedMail): Envelope => ({
  from: mail.from,
  to: mail.recipients,
  sizeBytes: mail.sizeBytes,
  utf8: mail.needsUtf8,
})

const markOf = ({ claim }: ClaimedMail, mail: ComposedMail): Mark => ({
  workspace_id: claim.workspace_id,
  lead_id: claim.lead_id,
  step_id: claim.step_id,
  id: claim.id,
  campaign_id: claim.campaign_id,
  mailbox_id: claim.mailbox_id,
  subject: mail.subject,
  starts_thread: mail.startsThread,
  is_new: claim.is_new,
  campaign_version: claim.campaign_version,
  until: claim.until,
})

function settlementOf(
  ctx: Context,
  { claim, campaign, mailbox }: ClaimedMail,
  outcome: Outcome,
  mail: ComposedMail | null,
  refusedCopies: NotedCopy[] = [],
): Settlement {
  const isRefused = new Set(refusedCopies.map(({ address }) => address.toLowerCase()))
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
      cc_addresses: campaign.cc_list.filter((address) => !isRefused.has(address.toLowerCase())),
      refused_copies: refusedCopies,
      in_reply_to: mail.startsThread ? null : (claim.earlier.at(-1)?.message_id ?? null),
      size_bytes: mail.sizeBytes,
    },
    gapSeconds: mailbox.gap_seconds,
  }
}
