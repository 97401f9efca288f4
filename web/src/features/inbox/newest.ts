import type { Conversation } from '../../api/generated/types.gen.ts'

/** Its mails and what becomes one of them, under the same id. What is on its way comes first. */
const allOf = ({ replies, messages }: Conversation) => [
  ...replies.filter(({ state }) => state !== 'failed'),
  ...messages,
]

/** The id of what is newest in a conversation. */
export const newestOf = (conversation: Conversation): string =>
  [conversation.last_message_id, ...allOf(conversation).map(({ id }) => id)].toSorted().at(-1) ??
  conversation.last_message_id

/** What came into it after `seen`, but for what its reader wrote in another tab. */
export const newsOf = (conversation: Conversation, seen: string, readerId: string) =>
  allOf(conversation).filter(({ id, written_by }) => id > seen && written_by !== readerId)
