import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { dayMs } from '../../../kernel/durations.ts'
import { AppError, invalidField, notFound } from '../../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../../kernel/http/page.ts'
import { type AuditAction, type ChangedBy, recordAudit } from '../../audit/index.ts'
import { tellPages } from '../../live/index.ts'
import * as messages from '../../messages/index.ts'
import { listUnsentReplies } from '../../sending/index.ts'
import { type ShownReply, shownReply } from './shown-reply.ts'

type ListedThread = Omit<messages.FoundThread, 'sort_id'>

/** Conversations that somebody answered in, the newest answer first. */
export async function listThreads(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
  filter: messages.ThreadSearch = {},
): Promise<Page<ListedThread>> {
  const rows = await messages.searchThreads(ctx.db, workspaceId, page, filter, ctx.now())
  // A thread moves when it is answered: where a page ends is told by its place, not by its id.
  const { items, ...next } = toPage(rows, page.limit, ({ sort_id }) => sort_id)
  return { ...next, items: items.map(messages.withoutCursor) }
}

/** Counts end here; the application says "999+". */
const countMost = 1000
/** More conversations that wait at once nobody has told apart by label. */
const waitingMost = 10_000

export interface InboxCounts extends messages.ThreadCounts {
  by_mailbox: { mailbox_id: string; address: string | null; waiting: number }[]
  by_label: { label: string; waiting: number }[]
}

/** How much there is to do; by mailbox and label of what waits. */
export async function countThreads(ctx: Context, workspaceId: string): Promise<InboxCounts> {
  const now = ctx.now()
  const counts = await messages.countThreads(ctx.db, workspaceId, now, countMost)
  const waiting = await messages.countWaiting(ctx.db, workspaceId, now, waitingMost)
  const addresses = new Map(waiting.map(({ mailbox_id, address }) => [mailbox_id, address]))
  return {
    ...counts,
    by_mailbox: sumBy(waiting, ({ mailbox_id }) => mailbox_id).map(([mailbox_id, sum]) => ({
      ...{ mailbox_id, address: addresses.get(mailbox_id) ?? null, waiting: sum },
    })),
    by_label: sumBy(waiting, ({ label }) => label).map(([label, sum]) => ({ label, waiting: sum })),
  }
}

function sumBy<T extends { count: number }>(rows: T[], keyOf: (row: T) => string | null) {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const key = keyOf(row)
    if (key !== null) sums.set(key, (sums.get(key) ?? 0) + row.count)
  }
  return [...sums]
}

export interface Conversation extends messages.Thread {
  /** Newest first. */
  messages: Page<messages.StoredMessage>
  /** Replies by hand that are not among the messages: on their way, failed or uncertain. */
  replies: ShownReply[]
}

export async function getThread(
  ctx: Context,
  workspaceId: string,
  id: string,
  page: PageRequest,
): Promise<Conversation> {
  const thread = await messages.findThread(ctx.db, workspaceId, id)
  if (!thread) throw notFound('conversation')
  const unsent = await listUnsentReplies(ctx.db, workspaceId, id)
  return {
    ...thread,
    messages: await messages.listThreadMessages(ctx, workspaceId, id, page),
    replies: unsent.map(shownReply),
  }
}

/** How the words of a search are spelt in a conversation. */
export async function showFoundWords(
  ctx: Context,
  workspaceId: string,
  id: string,
  search: string,
): Promise<{ words: string[] }> {
  if (!(await messages.findThread(ctx.db, workspaceId, id))) throw notFound('conversation')
  return { words: await messages.listFoundWords(ctx.db, workspaceId, id, search) }
}

interface Chosen {
  ids: string[]
  /** The last message that the person has seen of them. */
  seen_message_id?: string
}

export async function markRead(
  ctx: Context,
  workspaceId: string,
  { ids, read, seen_message_id: seen }: Chosen & { read: boolean },
): Promise<void> {
  await messages.updateUnread(ctx.db, workspaceId, ids, !read, seen)
  tellPages(ctx, workspaceId, ['inbox'])
}

/** Done until something comes in; others are not touched. @throws AppError `version_conflict` */
export const markDone = (
  ctx: Context,
  workspaceId: string,
  { done, ...chosen }: Chosen & { done: boolean },
  by: ChangedBy,
) =>
  transaction(ctx, async (tx) => {
    await refuseNewer(tx, workspaceId, chosen)
    const doneAt = done ? tx.now() : null
    const changed = await messages.updateDone(tx.db, workspaceId, chosen.ids, doneAt)
    await record(tx, workspaceId, changed, done ? 'thread.done' : 'thread.reopened', by)
  })

/** A year either way: what is put off for longer is forgotten. */
const snoozeMsMax = 366 * dayMs

/**
 * Put off until an instant, or not any more. One that has come is what an undo asks for, of what was back
 * already.
 *
 * @throws AppError `version_conflict`
 */
export async function snoozeThreads(
  ctx: Context,
  workspaceId: string,
  { until, ...chosen }: Chosen & { until: Date | null },
  by: ChangedBy,
): Promise<void> {
  if (until && Math.abs(until.getTime() - ctx.now().getTime()) > snoozeMsMax) {
    throw invalidField('/until', 'until must be a time within a year')
  }
  await transaction(ctx, async (tx) => {
    await refuseNewer(tx, workspaceId, chosen)
    const changed = await messages.updateSnooze(tx.db, workspaceId, chosen.ids, until)
    await record(tx, workspaceId, changed, until ? 'thread.snoozed' : 'thread.reopened', by)
  })
}

/** What came in while somebody decided would be put away unseen. */
async function refuseNewer(
  tx: Context,
  workspaceId: string,
  { ids, seen_message_id: seen }: Chosen,
): Promise<void> {
  if (seen === undefined) return
  await messages.lockThreads(tx.db, workspaceId, ids)
  if (!(await messages.hasNewer(tx.db, workspaceId, ids, seen))) return
  throw new AppError(
    'version_conflict',
    'Something has just come in here, so the conversation stays: look at it first.',
  )
}

async function record(
  tx: Context,
  workspaceId: string,
  ids: string[],
  action: AuditAction,
  by: ChangedBy,
) {
  const [first] = ids
  if (first === undefined) return
  await recordAudit(tx, {
    ...{ workspaceId, ...by, action, subjectType: 'thread' },
    subjectId: ids.length === 1 ? first : null,
    details: ids.length === 1 ? {} : { ids },
  })
}
