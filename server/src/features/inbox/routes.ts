import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { sha256 } from '../../kernel/crypto.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { asMember, asViewer } from '../../kernel/http/access.ts'
import { readKey } from '../../kernel/http/idempotency.ts'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { findMessage, threadViews } from '../messages/index.ts'
import { withoutOwnLinks } from '../tracking/index.ts'
import { fetchAttachment } from './conversations/attachment.ts'
import { downloadAs } from './conversations/attachment-name.ts'
import { mailPolicy } from './conversations/mail-document.ts'
import { replyInThread } from './conversations/reply.ts'
import { showMail } from './conversations/show-mail.ts'
import { showConversation, showMessages } from './conversations/shown-conversation.ts'
import {
  countThreads,
  listThreads,
  markDone,
  markRead,
  showFoundWords,
  snoozeThreads,
} from './conversations/threads.ts'
import { syncMailboxes } from './reading/sync.ts'
import {
  Changed,
  Conversation,
  FoundWords,
  ReplyInput,
  SyncedMailboxes,
  Thread,
  ThreadCounts,
  ThreadMessage,
  ThreadMessagePage,
  ThreadPage,
  ThreadReply,
  ThreadsDone,
  ThreadsRead,
  ThreadsSnooze,
} from './schema.ts'

export const inboxSchemas = [
  ...[Thread, ThreadPage, ThreadCounts, ThreadMessage, ThreadReply, Conversation, Changed],
  ...[ThreadMessagePage, ThreadsRead, ThreadsDone, ThreadsSnooze, ReplyInput, SyncedMailboxes],
  FoundWords,
]

const tags = ['Inbox']
const params = Type.Object({ id: Uuid })

const searchCharactersMax = 200

const filters = {
  view: Type.Optional(Type.Enum([...threadViews], { description: 'Default all.' })),
  mailbox_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this mailbox.' })),
  campaign_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: 'Of this campaign.' })),
  unread: Type.Optional(Type.Boolean({ description: 'Only those that nobody has read.' })),
  label: Type.Optional(Type.String({ maxLength: 255, description: 'The status of the lead.' })),
  search: Type.Optional(
    Type.String({
      maxLength: searchCharactersMax,
      description:
        'Words of the mails, names and addresses: all have to be there, the last may be its beginning.',
    }),
  ),
}

/** As it is looked for. */
const searchOf = (text: string) => text.replaceAll('\0', '').trim()

export const inboxRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/threads',
    {
      config: asViewer,
      schema: {
        operationId: 'listThreads',
        summary: 'List conversations',
        description: 'Those that somebody answered in, the newest first.',
        tags,
        querystring: Type.Object({ ...pageQuery, ...filters }),
        response: { 200: ref(ThreadPage) },
      },
    },
    ({ ctx, caller, query }) => {
      const { mailbox_id: mailboxId, campaign_id: campaignId, ...rest } = query
      return listThreads(ctx, caller.workspaceId, pageRequest(query), {
        ...{ mailboxId, campaignId, view: rest.view, unread: rest.unread, label: rest.label },
        search: rest.search === undefined ? undefined : searchOf(rest.search),
      })
    },
  )

  app.get(
    '/threads/counts',
    {
      config: asViewer,
      schema: {
        operationId: 'countThreads',
        summary: 'Count conversations',
        tags,
        response: { 200: ref(ThreadCounts) },
      },
    },
    ({ ctx, caller }) => countThreads(ctx, caller.workspaceId),
  )

  app.get(
    '/threads/:id',
    {
      config: asViewer,
      schema: {
        operationId: 'getThread',
        summary: 'Get a conversation',
        description: 'With its newest messages, and the answers that are on their way.',
        tags,
        params,
        response: { 200: ref(Conversation) },
      },
    },
    ({ ctx, caller, params }) => showConversation(ctx, caller.workspaceId, params.id),
  )

  app.get(
    '/threads/:id/messages',
    {
      config: asViewer,
      schema: {
        operationId: 'listThreadMessages',
        summary: 'List the mails of a conversation',
        description:
          'Every one, however long it is. Where mails are very long a page ends before `limit`: the ' +
          'next one is there as long as `next_starting_after` is.',
        tags,
        params,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(ThreadMessagePage) },
      },
    },
    ({ ctx, caller, params, query }) =>
      showMessages(ctx, caller.workspaceId, params.id, pageRequest(query)),
  )

  app.get(
    '/threads/:id/found-words',
    {
      config: asViewer,
      schema: {
        operationId: 'listFoundWords',
        summary: 'List the words of a search as a conversation spells them',
        description: 'Of its newest mails, with their accents and endings: what to mark in them.',
        tags,
        params,
        querystring: Type.Object({
          search: Type.String({ maxLength: searchCharactersMax, description: 'As in the list.' }),
        }),
        response: { 200: ref(FoundWords) },
      },
    },
    ({ ctx, caller, params, query }) =>
      showFoundWords(ctx, caller.workspaceId, params.id, searchOf(query.search)),
  )

  app.post(
    '/threads/read',
    {
      config: asMember,
      schema: {
        operationId: 'markThreadsRead',
        summary: 'Mark conversations as read or unread',
        tags,
        body: ref(ThreadsRead),
        response: { 200: ref(Changed) },
      },
    },
    async ({ ctx, caller, body }) => {
      await markRead(ctx, caller.workspaceId, body)
      return { ids: body.ids }
    },
  )

  app.post(
    '/threads/done',
    {
      config: asMember,
      schema: {
        operationId: 'markThreadsDone',
        summary: 'Mark conversations as done or not',
        description: 'They are there again once something comes in.',
        tags,
        body: ref(ThreadsDone),
        response: { 200: ref(Changed) },
      },
    },
    async (req) => {
      await markDone(req.ctx, req.caller.workspaceId, req.body, changedBy(req))
      return { ids: req.body.ids }
    },
  )

  app.post(
    '/threads/snooze',
    {
      config: asMember,
      schema: {
        operationId: 'snoozeThreads',
        summary: 'Put conversations off until a time',
        description:
          'Then they are the newest, or before, once something comes in. A time that has come puts them there at once.',
        tags,
        body: ref(ThreadsSnooze),
        response: { 200: ref(Changed) },
      },
    },
    async (req) => {
      const chosen = { ...req.body, until: instantOf('/until', req.body.until) ?? null }
      await snoozeThreads(req.ctx, req.caller.workspaceId, chosen, changedBy(req))
      return { ids: req.body.ids }
    },
  )

  app.post(
    '/threads/:id/reply',
    {
      // The ledger of mails knows the key, for longer than a kept answer would.
      config: { ...asMember, idempotency: 'none' },
      bodyLimit: 2 * 1024 * 1024,
      schema: {
        operationId: 'replyInThread',
        summary: 'Answer in a conversation',
        description:
          'From its mailbox, once for each Idempotency-Key; without one, once for each text. Answers ' +
          'when it is known what became of the mail.',
        tags,
        params,
        body: ref(ReplyInput),
        response: { 200: ref(ThreadReply) },
      },
    },
    (req) => {
      const { text, html, force, seen_message_id } = req.body
      if ((text === undefined) === (html === undefined)) {
        throw invalidField('/text', 'give text or html')
      }
      const content = `${req.params.id} ${text ?? html}`
      const key = readKey(req.headers['idempotency-key']) ?? sha256(content).toString('hex')
      return replyInThread(req.ctx, req.caller.workspaceId, {
        ...{ thread_id: req.params.id, idempotency_key: key },
        ...(html === undefined ? { text: text ?? '' } : { html }),
        ...(force === undefined ? {} : { force }),
        ...(seen_message_id === undefined ? {} : { seen_message_id }),
        by: changedBy(req),
      })
    },
  )

  app.post(
    '/mailboxes/sync',
    {
      config: { ...asMember, idempotency: 'lease' },
      schema: {
        operationId: 'syncMailboxes',
        summary: 'Read mailboxes now',
        description: 'Without waiting for the runner, which reads them by itself.',
        tags,
        response: { 200: ref(SyncedMailboxes) },
      },
    },
    async ({ ctx, caller }) => ({
      items: await syncMailboxes(ctx, caller.workspaceId, { beginWithinMs: 20_000 }),
    }),
  )

  app.get(
    '/messages/:id/body',
    {
      config: asViewer,
      schema: {
        operationId: 'getMessageBody',
        summary: 'The body of a mail as a page of its own',
        description: 'HTML under a policy of its own: no script, no form, nothing from elsewhere.',
        tags,
        params,
        querystring: Type.Object({
          images: Type.Optional(
            Type.Boolean({ description: 'With images from elsewhere: their servers see it.' }),
          ),
          workspace: Type.Optional(
            Type.String({ maxLength: 36, description: 'In place of X-Workspace-ID.' }),
          ),
        }),
        response: {
          200: { content: { 'text/html': { schema: Type.String({ description: 'A page.' }) } } },
        },
      },
    },
    async ({ ctx, caller, params, query }, reply) => {
      const message = await findMessage(ctx, caller.workspaceId, params.id)
      if (!message) throw notFound('message')
      const showsImages = query.images === true
      reply.headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': mailPolicy({ showsImages }),
        'x-frame-options': 'SAMEORIGIN',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
      const html = message.html && withoutOwnLinks(ctx, message.html)
      return showMail(caller.workspaceId, { ...message, html }, { showsImages })
    },
  )

  app.get(
    '/messages/:id/attachments/:index',
    {
      // It would fetch the whole mail.
      exposeHeadRoute: false,
      config: asViewer,
      schema: {
        operationId: 'getMessageAttachment',
        summary: 'A file that was attached to a mail',
        description:
          'Out of the mailbox, where it lies. 404 when it cannot be had, as once it is gone there, and 503 ' +
          'when the mailbox cannot be read now, with why.',
        tags,
        params: Type.Object({
          id: Uuid,
          index: Type.Integer({
            ...{ minimum: 0, maximum: 99 },
            description: 'Its place in `attachments`, counted from 0.',
          }),
        }),
        response: {
          200: {
            content: {
              'application/octet-stream': {
                schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }),
              },
            },
          },
        },
      },
    },
    async ({ ctx, caller, params }, reply) => {
      const left = leaving(reply)
      const file = await fetchAttachment(ctx, caller.workspaceId, params.id, params.index, left)
      reply.headers({
        // Whatever its sender calls it: no browser shows it, or runs it.
        'content-type': 'application/octet-stream',
        'content-disposition': downloadAs(file.fileName),
        'x-content-type-options': 'nosniff',
      })
      return file.content
    },
  )
}

/** Who takes nothing of an answer for so long has gone: a proxy gives up after as long. */
const untakenMs = 60_000

/** @returns aborted once the answer has left, or who asked for it has gone */
function leaving({ raw, request }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => left.abort())
  raw.setTimeout(untakenMs, () => raw.destroy())
  // Nothing tells of the end of one that has left already.
  if (request.raw.socket.destroyed) left.abort()
  return left.signal
}
