export { compileStep, compose } from './compose.ts'
export type {
  CompiledStep,
  ComposedMail,
  ComposeInput,
  MailCampaign,
  MailStep,
  MailThread,
  MailVariant,
} from './mail.ts'
export { MailRefused, type RefusalCode } from './mail-refused.ts'
