import type { AnyContext, Context } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import type { AnyDb, Db } from '../../kernel/db/db.ts'
import { type Page, type PageRequest, readSizedPage } from '../../kernel/http/page.ts'
import { firstIdAt } from '../../kernel/ids.ts'
import { snippetOf } from '../../kernel/text.ts'
import * as batches from './batch-queries.ts'
import type { NewMessage, StoredMessage } from './kept-message.ts'
import { keptSince } from './retention.ts'
import * as queries from './store-queries.ts'

/**
 * Keeps mails, and makes those of ours known by their Message-IDs; again, it changes nothing. Those
 * that come in are made known by whoever takes them in, before anything else is done with them. One
 * past its retention time, as of an attempt that is decided late, is known and not kept: there is no
 * partition for it any more.
 */
export async function insertMessages(ctx: AnyContext, messages: NewMessage[]): Promise<void> {
  const { db } = ctx
  const keptFrom = keptSince(ctx)
  const firstId = keptFrom && firstIdAt(keptFrom)
  const kept = messages.filter(({ id }) => firstId === undefined || id >= firstId)
  if (kept.length > 0) {
    await batches.insertMessages(
      db,
      kept.map((message) => ({ snippet: snippetOf(message.text), ...message })),
    )
  }
  const ids = messages.flatMap((message) =>
    message.direction === 'in' || message.message_id === null
      ? []
      : [newMessageIdOf(message, message.message_id)],
  )
  if (ids.length > 0) await batches.takeMessageIds(db, ids)
}

/** Another id by which a mail is answered: the one that its provider put in the place of ours. */
export interface MessageAlias extends Pick<NewMessage, 'workspace_id' | 'id' | 'mailbox_id'> {
  alias: string
  lead_id: string | null
  /** Of a mail of ours; null: it came in. */
  campaign_id: string | null
}

/** @returns those of the ids that nobody was known by */
export async function addMessageIds(db: AnyDb, ids: MessageAlias[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const rows = ids.map((each) => newMessageIdOf(each, each.alias))
  const added = await batches.insertMessageIds(db, rows)
  const isNew = new Set(added.map((hash) => hash.toString('hex')))
  return new Set(
    ids.flatMap(({ alias }, at) =>
      isNew.has(rows[at]?.hash.toString('hex') ?? '') ? [alias] : [],
    ),
  )
}

/** Keeps the ids of mails of ours, each of which takes its id back from a copy that came in and was read before. */
export const takeMessageIds = (db: AnyDb, ids: MessageAlias[]) =>
  batches.takeMessageIds(
    db,
    ids.map((each) => newMessageIdOf(each, each.alias)),
  )

/** In the transaction that has added them. */
export const removeMessageIds = (db: Db, workspaceId: string, ids: string[]) =>
  queries.deleteMessageIds(db, workspaceId, ids.map(hashOf))

const newMessageIdOf = (
  { workspace_id, id, mailbox_id, lead_id, campaign_id }: Omit<MessageAlias, 'alias'>,
  messageId: string,
): batches.NewMessageId => ({
  workspace_id,
  hash: hashOf(messageId),
  message_id: id,
  lead_id,
  campaign_id,
  mailbox_id,
})

/** The message behind a Message-ID. It may be past its retention time, its lead be gone. */
export interface KnownMessage {
  id: string
  lead_id: string | null
  /** Of a mail of ours; null: it came in, so that any sender may have chosen its Message-ID. */
  campaign_id: string | null
  mailbox_id: string
}

/** @returns what is known of these Message-IDs, with or without angle brackets, by the id as given */
export async function findByMessageIds(
  db: Db,
  workspaceId: string,
  messageIds: string[],
): Promise<Map<string, KnownMessage>> {
  if (messageIds.length === 0) return new Map()
  const hashes = messageIds.map((messageId) => ({ messageId, hash: hashOf(messageId) }))
  const rows = await queries.findByHashes(
    db,
    workspaceId,
    hashes.map(({ hash }) => hash),
  )
  const found = new Map(rows.map((row) => [row.hash.toString('hex'), row]))
  return new Map(
    hashes.flatMap(({ messageId, hash }) => {
      const row = found.get(hash.toString('hex'))
      if (!row) return []
      const { message_id: id, lead_id, campaign_id, mailbox_id } = row
      return [[messageId, { id, lead_id, campaign_id, mailbox_id }] as const]
    }),
  )
}

/** The mails to and from one lead, newest first. Each may have a megabyte. */
export const listThreadMessages = (
  { db }: Context,
  workspaceId: string,
  threadId: string,
  page: PageRequest,
): Promise<Page<StoredMessage>> =>
  readSizedPage(page, {
    ...{ together: 10, bytesMax: 2 * 1024 * 1024 },
    bytesOf: ({ text, html }) => Buffer.byteLength(text) + Buffer.byteLength(html ?? ''),
    read: (part) => queries.listThread(db, workspaceId, threadId, part),
  })

export const findMessage = (ctx: Context, workspaceId: string, id: string) =>
  queries.findMessage(ctx.db, workspaceId, id)

/** 128 bits: enough for what is only ever compared within a workspace. */
const hashOf = (messageId: string) => sha256(messageId.trim().replace(/^<|>$/g, '')).subarray(0, 16)
