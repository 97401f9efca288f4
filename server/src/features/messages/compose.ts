import { parseTemplate } from '../campaigns/index.ts'
import type {
  CompiledStep,
  ComposedMail,
  ComposeInput,
  MailCampaign,
  MailStep,
  MailVariant,
} from './mail.ts'

/** @throws TemplateError */
export function compileStep(
  campaign: MailCampaign,
  step: MailStep,
  variant: MailVariant,
): CompiledStep {
  return {
    workspaceId: campaign.workspace_id,
    stepId: step.id,
    variantId: variant.id,
    subject: parseTemplate(variant.subject),
    body: parseTemplate(variant.body),
  }
}

/**
 * The mail of one lead, the same bytes for the same input.
 *
 * @throws MailRefused with a reason that a person understands: the lead is skipped
 */
export function compose(_compiled: CompiledStep, _input: ComposeInput): ComposedMail {
  throw new Error('not written yet')
}
