export { leaveThreads } from './batch-queries.ts'
export { compileStep, compose } from './compose.ts'
export { composeReply } from './compose-reply.ts'
export type { MessageHead, NewMessage, StoredMessage } from './kept-message.ts'
export type {
  CompiledStep,
  ComposedMail,
  ComposeInput,
  MailCampaign,
  MailThread,
  MailVariant,
} from './mail.ts'
export { MailRefused, missingIn } from './mail-refused.ts'
export { dropOldMessages, findFirstKept } from './retention.ts'
export {
  addMessageIds,
  findByMessageIds,
  findMessage,
  insertMessages,
  listThreadMessages,
  removeMessageIds,
  takeMessageIds,
} from './store.ts'
export { findLetters, hasNewer, listThreadHeads } from './store-queries.ts'
export {
  countThreads,
  countWaiting,
  findThread,
  type Thread,
  type ThreadCounts,
  threadViews,
  withoutCursor,
} from './thread-list-queries.ts'
export {
  answerThread,
  bringThreads,
  moveThreads,
  type ThreadToWrite,
  updateDone,
  updateSnooze,
  updateUnread,
  upsertThreads,
} from './thread-queries.ts'
export {
  type FoundThread,
  listFoundWords,
  searchThreads,
  type ThreadSearch,
} from './thread-search.ts'
export { indexThreads, renewThreadWords, textBounds, threadWordsOf } from './thread-words.ts'
export { lockThreads } from './thread-words-queries.ts'
