import {
  markup,
  nameOfVariable,
  parseTemplate,
  renderTemplate,
  TemplateError,
  templateVariables,
} from '../campaigns/index.ts'
import { finishBody } from './body.ts'
import { isHtml } from './html/lines.ts'
import type { CompiledStep, ComposedMail, ComposeInput, MailCampaign, MailVariant } from './mail.ts'
import { type MailAddress, mailAddress } from './mail-address.ts'
import { MailRefused, missingVariables } from './mail-refused.ts'
import { oneLine } from './mime/header-text.ts'
import { buildMessage } from './mime/message.ts'
import { createPicks } from './picks.ts'
import { subjectLine } from './subject.ts'
import { threadHeaders } from './thread-headers.ts'

/**
 * Parses a variant once for all leads. It holds nothing of a mailbox, so one is enough for all of
 * them; after a change of the campaign another one is needed.
 *
 * @throws TemplateError
 */
export function compileStep(
  campaign: MailCampaign,
  step: { id: string },
  variant: MailVariant,
): CompiledStep {
  const body = parseTemplate(variant.body.trimEnd(), { isText: !isHtml(variant.body) })
  return {
    workspaceId: campaign.workspace_id,
    stepId: step.id,
    variantId: variant.id,
    subject: parseTemplate(variant.subject),
    body,
    placesSignature: body.outputs.some((output) => /\bsignature\b/.test(output)),
    isTextOnly: campaign.text_only,
    isFirstTextOnly: campaign.first_email_text_only,
    tracksOpens: campaign.open_tracking,
    tracksLinks: campaign.link_tracking,
    hasUnsubscribeHeader: campaign.insert_unsubscribe_header,
    cc: copiesTo(campaign.cc_list),
    bcc: copiesTo(campaign.bcc_list),
    timezone: campaign.campaign_schedule.schedules[0]?.timezone ?? 'UTC',
  }
}

/** An address that is listed twice is named once. */
const copiesTo = (addresses: string[]): MailAddress[] => [
  ...new Map(addresses.map(mailAddress).map((each) => [each.folded, each])).values(),
]

/**
 * The mail of one lead. The same input makes the same bytes: what a preview shows is what is sent.
 *
 * @throws MailRefused with a reason that a person understands: the lead is skipped
 */
export function compose(compiled: CompiledStep, input: ComposeInput): ComposedMail {
  const { lead, mailbox, links, messageId, at } = input
  const from = mailAddress(mailbox.address)
  const to = mailAddress(input.to ?? lead.email ?? '')
  const mail = { workspaceId: compiled.workspaceId, leadId: lead.id, stepId: compiled.stepId }
  const unsubscribeUrl = links.unsubscribe(mail, to.folded)
  const rendered = render(compiled, input, unsubscribeUrl)
  const { subject, threadSubject, continues } = subjectLine(rendered.subject, input.thread)
  // Which step comes first may have changed since others got it.
  const isTextOnly = compiled.isTextOnly || (compiled.isFirstTextOnly && input.thread === null)
  const around = { mail, mailbox, links, unsubscribeUrl, isTextOnly }
  const body = finishBody(compiled, rendered.body, around)
  const cc = compiled.cc.filter(({ folded }) => folded !== to.folded)
  const parts = {
    messageId,
    at,
    from: { name: oneLine(mailbox.display_name ?? ''), address: from.address },
    to: to.address,
    cc: cc.map(({ address }) => address),
    subject,
    ...threadHeaders(continues),
    unsubscribeUrl: compiled.hasUnsubscribeHeader ? unsubscribeUrl : null,
    text: body.text,
  }
  const bytes = buildMessage({ ...parts, html: body.trackedHtml })
  const untracked = () =>
    body.trackedHtml === body.html ? bytes : buildMessage({ ...parts, html: body.html })
  const named = new Set([to, ...cc].map(({ folded }) => folded))
  const bcc = compiled.bcc.filter(({ folded }) => !named.has(folded))
  return {
    bytes,
    copy: input.keepsCopy ? untracked() : null,
    subject,
    threadSubject,
    startsThread: continues === null,
    text: body.text,
    html: body.html,
    sizeBytes: bytes.length,
    needsUtf8: [from, to, ...compiled.cc, ...compiled.bcc].some((each) => each.needsUtf8),
    from: from.address,
    recipients: [to, ...cc, ...bcc].map(({ address }) => address),
    cc: parts.cc,
  }
}

function render(compiled: CompiledStep, input: ComposeInput, unsubscribeUrl: string) {
  const { lead, mailbox, at } = input
  const variables = templateVariables(lead)
  variables.signature = markup(mailbox.signature ?? '')
  variables.unsubscribe_url = unsubscribeUrl
  const picks = createPicks({ leadId: lead.id, ...compiled })
  const missing = new Map<string, string>()
  const rendering = {
    now: at,
    timezone: compiled.timezone,
    onMissing(spelled: string) {
      const name = nameOfVariable(spelled)
      if (!missing.has(name)) missing.set(name, spelled)
    },
  }
  try {
    const subject = renderTemplate(compiled.subject, variables, {
      ...rendering,
      html: false,
      pick: picks.subject,
    })
    const body = renderTemplate(compiled.body, variables, {
      ...rendering,
      html: true,
      pick: picks.body,
    })
    if (missing.size > 0) throw missingVariables([...missing.values()])
    return { subject, body }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw new MailRefused('template_error', `The template fails for this lead: ${error.message}.`)
  }
}
