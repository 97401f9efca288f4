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
export { dropOldMessages, messagesTable } from './retention.ts'
export {
  addMessageIds,
  findByMessageIds,
  insertMessages,
  type KnownAs,
  type KnownMessage,
  listThreadMessages,
  type NewMessage,
  type StoredMessage,
} from './store.ts'
