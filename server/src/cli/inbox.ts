import { readFile } from 'node:fs/promises'
import { text as readText } from 'node:stream/consumers'
import type { Command } from 'commander'
import {
  type Conversation,
  getThread,
  listThreads,
  markRead,
  replyInThread,
  type ShownReply,
  type SyncedMailbox,
  syncMailboxes,
} from '../features/inbox/index.ts'
import type { Thread } from '../features/messages/index.ts'
import { sha256 } from '../kernel/crypto.ts'
import { requireMailClients } from '../process/service-settings.ts'
import { parseId, parseName } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { type Limited, oneOf, withLimit } from './options.ts'
import { formatRecord, formatTable } from './terminal.ts'

export function inboxCommands(program: Command) {
  const inbox = program.command('inbox').description('What came in, of all mailboxes')
  listCommand(inbox)
  showCommand(inbox)
  replyCommand(inbox)

  withWorkspace(inbox.command('read'))
    .description('Mark conversations as read')
    .argument('<ids...>', 'ids of the conversations', (text, before: string[] = []) => [
      ...before,
      parseId(text),
    ])
    .option('--unread', 'as unread')
    .action((ids: string[], { unread = false, ...options }: ReadOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => {
          await markRead(ctx, workspaceId, { ids, read: !unread })
          return { ids, unread }
        },
        () => `Marked as ${unread ? 'unread' : 'read'}.`,
      ),
    )

  withWorkspace(inbox.command('sync'))
    .description('Read the mailboxes now, without waiting for the runner')
    .option('--mailbox <id>', 'only this one', parseId)
    .action(({ mailbox, ...options }: WorkspaceOptions & { mailbox?: string }) =>
      operateIn(
        options,
        async (ctx, workspaceId) => {
          requireMailClients(ctx.config.dataDir)
          const items = await syncMailboxes(ctx, workspaceId, { mailboxId: mailbox })
          if (items.some(({ error }) => error !== null)) process.exitCode = 1
          return { items }
        },
        showSynced,
      ),
    )
}

type ReadOptions = WorkspaceOptions & { unread?: boolean }

function listCommand(inbox: Command) {
  withLimit(withWorkspace(inbox.command('list')), 50)
    .description('List conversations that somebody answered in, the newest answer first')
    .option('--mailbox <id>', 'of this mailbox', parseId)
    .option('--campaign <id>', 'of this campaign', parseId)
    .addOption(oneOf('--kind <kind>', 'what came in last', kinds))
    .option('--unread', 'only those that nobody has read')
    .option('--before <message id>', 'as the last list said', parseId)
    .action(({ mailbox, campaign, kind, unread, limit, before, ...options }: ListOptions) =>
      operateIn(
        options,
        (ctx, workspaceId) =>
          listThreads(
            ctx,
            workspaceId,
            { limit, startingAfter: before },
            { mailboxId: mailbox, campaignId: campaign, kind, unread },
          ),
        showThreads,
      ),
    )
}

type ListOptions = WorkspaceOptions &
  Limited & {
    mailbox?: string
    campaign?: string
    kind?: string
    unread?: boolean
    before?: string
  }

const kinds = ['reply', 'auto_reply', 'bounce', 'complaint', 'colleague']

function showCommand(inbox: Command) {
  withLimit(withWorkspace(inbox.command('show')), 20, 'how many mails')
    .description('Show a conversation, the newest mail last')
    .argument('<id>', 'id of the conversation', parseId)
    .action((id: string, { limit, ...options }: WorkspaceOptions & Limited) =>
      operateIn(
        options,
        (ctx, workspaceId) => getThread(ctx, workspaceId, id, { limit, startingAfter: undefined }),
        showConversation,
      ),
    )
}

function replyCommand(inbox: Command) {
  withWorkspace(inbox.command('reply'))
    .description('Answer in a conversation, from its mailbox')
    .argument('<id>', 'id of the conversation', parseId)
    .requiredOption('--file <file>', 'the answer, plain text; - reads standard input')
    .option('--html', 'it is HTML')
    .option('--key <key>', 'idempotency key: one mail is sent for each', parseName)
    .option('--force', 'also to an address that nothing is sent to any more')
    .addHelpText('after', replyNotes)
    .action((id: string, { file, html, key, force = false, ...options }: ReplyOptions) =>
      operateIn(
        options,
        async (ctx, workspaceId) => {
          const content =
            file === '-' ? await readText(process.stdin) : await readFile(file, 'utf8')
          const given = { thread_id: id, idempotency_key: key ?? keyOf(id, content), force }
          const body = html ? { html: content } : { text: content }
          const reply = await replyInThread(ctx, workspaceId, { ...given, ...body })
          if (reply.state !== 'sent') process.exitCode = 1
          return reply
        },
        showReply,
      ),
    )
}

type ReplyOptions = WorkspaceOptions & {
  file: string
  html?: boolean
  key?: string
  force?: boolean
}

const replyNotes = `
The running service sends it; where none runs, the command says so and nothing is sent.
The same text in the same conversation is sent once, however often the command is given; with --key
it is sent for each key. A reply that failed was not sent: the same command tries it again. Of one
that is uncertain nobody knows; it is never sent again by itself. It counts for no limit, waits for
no schedule, and the campaign of the lead goes on as it was.`

/** Who repeats a command that was interrupted means the same mail. */
const keyOf = (threadId: string, content: string) =>
  `cli ${sha256(`${threadId} ${content}`).toString('hex')}`

const showThreads = ({ items, next_starting_after }: ThreadList) =>
  [
    formatTable(
      ['id', 'kind', 'unread', 'from', 'subject', 'time', 'text'],
      items.map((thread) => [
        ...[thread.id, thread.kind, thread.unread, thread.from_address, thread.subject],
        ...[thread.timestamp_updated, thread.snippet],
      ]),
    ),
    ...(next_starting_after ? [`\nMore: --before ${next_starting_after}`] : []),
  ].join('\n')

interface ThreadList {
  items: Thread[]
  next_starting_after?: string
}

const showConversation = ({ messages, replies, ...thread }: Conversation) =>
  [
    formatRecord({
      ...{ id: thread.id, subject: thread.subject, kind: thread.kind, unread: thread.unread },
      ...{ mailbox: thread.mailbox_id, campaign: thread.campaign_id },
      suggestion: thread.suggestion,
    }),
    ...messages.items
      .toReversed()
      .map(({ timestamp, direction, kind, from_address, text }) =>
        [
          `${timestamp.toISOString()}  ${direction === 'in' ? 'from' : 'by'} ${from_address} (${kind})`,
          indented(text),
        ].join('\n'),
      ),
    ...replies.map((reply) => showReply(reply)),
  ].join('\n\n')

/** A mail must not move the cursor or change the colours. */
const indented = (text: string) =>
  text
    .trim()
    .split(/\r?\n/)
    .map((line) => `  ${line.replaceAll(/(?!\t)\p{Cc}/gu, '\ufffd')}`)
    .join('\n')

const sentences: Record<string, string> = {
  sent: 'The reply was sent.',
  failed: 'The reply was not sent. The same command tries it again.',
  uncertain: 'Nobody knows whether the reply arrived: ask, or look into the Sent folder.',
}

const showReply = ({ state, to_address, error_message }: ShownReply) =>
  [
    sentences[state] ?? 'The reply is being sent.',
    formatRecord({ to: to_address, state, reason: error_message }),
  ].join('\n')

const showSynced = ({ items }: { items: SyncedMailbox[] }) =>
  formatTable(
    ['id', 'address', 'new mails', 'error'],
    items.map(({ id, address, mails, error }) => [id, address, mails, error]),
  )
