export { compileStep, compose } from './compose.ts'
export { composeReply } from './compose-reply.ts'
export type { NewMessage, StoredMessage } from './kept-message.ts'
export type {
  CompiledStep,
  ComposedMail,
  ComposeInput,
  MailCampaign,
  MailThread,
  MailVariant,
} from './mail.ts'
export { MailRefused } from './mail-refused.ts'
export { dropOldMessages } from './retention.ts'
export { leaveThreads } from './settle-queries.ts'
export {
  addMessageIds,
  findByMessageIds,
  insertMessages,
  listThreadMessages,
} from './store.ts'
export {
  answerThread,
  findThread,
  findThreads,
  moveThreads,
  type Thread,
  type ThreadFilter,
  type ThreadToWrite,
  updateUnread,
  upsertThreads,
} from './thread-queries.ts'
