import type { Context } from '../../kernel/context.ts'
import { AppError, invalidField, invalidFields, notFound } from '../../kernel/errors.ts'
import { nextTurn } from '../../kernel/next-turn.ts'
import {
  type CampaignChanges,
  getCampaign,
  placesUnsubscribeUrl,
  TemplateError,
  variantProblems,
  withUnsavedChanges,
} from '../campaigns/index.ts'
import { findLead, findLeadById, whyNeverSent, whyNotMade, whyNotSent } from '../leads/index.ts'
import { getMailbox, type Mailbox } from '../mailboxes/index.ts'
import { type ComposedMail, compileStep, compose, MailRefused } from '../messages/index.ts'
import { messageIdOf, threadOf, variantOf } from '../sending/index.ts'
import { LinkMaker, type TrackingLinks } from '../tracking/index.ts'
import { getSender } from './get-sender.ts'
import { listSent, type SentRow } from './queries.ts'
import { mailsBefore, type NumberedStep, stepAsked, stepsOf } from './steps.ts'
import { whyMailboxWaits } from './why-mailbox-waits.ts'

export type PreviewRequest = (
  | {
      /** The lead's address, in any spelling. */
      email: string
    }
  | { leadId: string }
) & {
  /** From 1; without it the lead's next one. */
  step?: number | undefined
  /** From 1; without it the one that the lead gets. */
  variant?: number | undefined
  /** What is changed of the campaign and not saved yet. */
  draft?: CampaignChanges | undefined
  /** For whoever only looks: no open, click or wish that comes of it is the lead's. */
  isLookedAt?: boolean | undefined
  /** For a test of the mail. */
  test?: TestEnvelope | undefined
}

interface TestEnvelope {
  mailboxId: string
  to: string
  messageId: string
}

export interface Preview {
  /** Both from 1. */
  step: number
  variant: number
  /** Its address. */
  mailbox: string
  /** Who it is from, as whoever gets it reads it. */
  from: string
  message_id: string
  /** Null: it cannot be made for the lead. */
  mail: ComposedMail | null
  /** Why. */
  refusal: { code: string; message: string } | null
  /** What else a person should know: that nothing is sent to the lead, or that it cannot unsubscribe. */
  warnings: string[]
}

/**
 * A step as the lead gets it, but for its date: made by what makes the mails that are sent, out of
 * what is known now. Mails that come before it and are not sent yet are taken to be sent as they
 * would be.
 *
 * @throws AppError
 */
export async function previewStep(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  request: PreviewRequest,
): Promise<Preview> {
  const { draft, isLookedAt = false, test } = request
  const stored = await getCampaign(ctx, workspaceId, campaignId)
  const changed = draft ? withUnsavedChanges(ctx, stored, draft) : stored
  const campaign = test ? { ...changed, ...withoutTraces } : changed
  const lead = await getRecipient(ctx, workspaceId, campaignId, request)
  const steps = stepsOf(campaign)
  const sent = await listSent(ctx.db, workspaceId, lead.id)
  const asked = stepAsked(steps, request.step, { sent, current_step: lead.current_step })
  const mailbox = test
    ? await getMailbox(ctx, workspaceId, test.mailboxId)
    : await getSender(ctx, campaign, lead)
  const made = new LinkMaker(ctx).of(mailbox)
  const links = test || isLookedAt ? harmless(made, mailbox.address) : made

  const waits = await whyMailboxWaits(ctx, campaign, lead)
  const notSent = [...(await whyNotSent(ctx, lead)), ...waits]
  // What holds the lead back is what the refusal says already.
  const isHeld = whyNotMade(lead) !== null
  const besideRefusal = isHeld ? [...(await whyNeverSent(ctx, lead)), ...waits] : notSent

  const make = (step: NumberedStep, earlier: SentRow[]): Preview => {
    const row = sent.find(({ step_id }) => step_id === step.id)
    const isAsked = step.id === asked.id
    const variant =
      isAsked && request.variant !== undefined
        ? variantAsked(step, request.variant)
        : variantFor(step, lead.id, row)
    const key = { workspace_id: workspaceId, lead_id: lead.id, step_id: step.id }
    const ledgerId = row?.message_id ?? messageIdOf(key, mailbox.address)
    const messageId = test && isAsked ? test.messageId : ledgerId
    const about = {
      ...{ step: step.number, variant: variant.number },
      ...{ mailbox: mailbox.address, from: writerOf(mailbox), message_id: messageId },
    }
    const wayOut = canUnsubscribe(campaign, variant) ? [] : [noWayOut]
    const thread_subject = earlier.findLast(({ starts_thread }) => starts_thread)?.subject ?? null
    const thread = threadOf({ lead: { ...lead, thread_subject }, earlier })
    try {
      const compiled = compileStep(campaign, step, variant)
      const mail = compose(compiled, {
        ...{ lead, to: test?.to, mailbox, messageId, thread, links },
        at: ctx.now(),
      })
      return { ...about, mail, refusal: null, warnings: [...notSent, ...wayOut] }
    } catch (error) {
      if (error instanceof TemplateError) throw unreadable(step, variant)
      if (!(error instanceof MailRefused)) throw error
      const refusal = { code: error.code, message: error.message }
      return { ...about, mail: null, refusal, warnings: [...besideRefusal, ...wayOut] }
    }
  }

  const { earlier, unsent } = mailsBefore(asked, steps, sent)
  for (const step of unsent) {
    const preview = make(step, earlier)
    // The work of each mail is bounded, and that of fifty in one turn would keep everybody else waiting.
    await nextTurn()
    if (!preview.mail) return preview
    const { startsThread, subject } = preview.mail
    const { message_id } = preview
    earlier.push({
      ...{ step_id: step.id, variant_id: null, message_id, subject },
      starts_thread: startsThread,
    })
  }
  return make(asked, earlier)
}

/** Of changes that are not saved: what is saved is a template. */
function unreadable(step: NumberedStep, variant: NumberedStep['variants'][number]) {
  const path = `/sequences/0/steps/${step.number - 1}/variants/${variant.number - 1}`
  return invalidFields(variantProblems({ variant, path }))
}

async function getRecipient(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  request: PreviewRequest,
) {
  const lead =
    'email' in request
      ? await findLead(ctx.db, workspaceId, campaignId, request.email)
      : await findLeadById(ctx.db, workspaceId, request.leadId)
  if (lead?.campaign_id !== campaignId) throw notFound('lead')
  return lead
}

/** A test goes to nobody else, and says what it is: nothing of it is tracked. */
const withoutTraces = { open_tracking: false, link_tracking: false, cc_list: [], bcc_list: [] }

/** Whoever opens it, follows a link or presses "unsubscribe" does not do so for the lead. */
const harmless = (links: TrackingLinks, address: string): TrackingLinks => ({
  open: () => null,
  click: (_mail, url) => url,
  unsubscribe: (mail, email) => {
    const real = links.unsubscribe(mail, email)
    return real.startsWith('mailto:') ? `mailto:${address}` : new URL('/u/test', real).href
  },
})

const canUnsubscribe = (
  campaign: { insert_unsubscribe_header: boolean },
  variant: { subject: string; body: string },
) => campaign.insert_unsubscribe_header || placesUnsubscribeUrl(variant)

const noWayOut =
  'Who gets this mail cannot unsubscribe: insert_unsubscribe_header is off and no text has {{unsubscribe_url}}.'

function variantAsked(step: NumberedStep, number: number) {
  const variant = step.variants[number - 1]
  if (variant) return variant
  const { length } = step.variants
  throw invalidField('/variant', `Step ${step.number} has ${length} variants; ask for one of them.`)
}

/** The one that was sent, else the one that will be. */
function variantFor(step: NumberedStep, leadId: string, row: SentRow | undefined) {
  const id = row?.variant_id ?? variantOf(step, leadId)?.id
  const variant =
    step.variants.find((each) => each.id === id) ??
    step.variants.find((each) => each.id === variantOf(step, leadId)?.id)
  if (variant) return variant
  throw new AppError('not_ready', `Step ${step.number} has no enabled variant.`)
}

const writerOf = ({ address, display_name: name }: Pick<Mailbox, 'address' | 'display_name'>) =>
  name ? `${name} <${address}>` : address
