import { afterEach, beforeEach, expect, test } from 'vitest'
import { imapSettings, type Sending, testSending } from '../../../test/sending.ts'
import { createSignal } from '../../../test/signal.ts'
import { startTcpServer, type TcpServer } from '../../../test/tcp-server.ts'
import type { ProcessContext } from '../../kernel/context.ts'
import { operator } from '../audit/index.ts'
import { addMailbox } from '../mailboxes/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { createSenderParts } from './lanes/sender-parts.ts'
import { RestoreGuard } from './restore-guard/restore-guard.ts'
import { SentCopies } from './sent-copies/sent-copies.ts'
import { UncertainMails } from './uncertain/reconcile.ts'

// One workspace has more mailboxes at a reading server that accepts and never says anything than are
// looked after at a time; its neighbour has one at a server that works.

const hangingMailboxes = 20
const address = 'anna@example.com'

let sending: Sending
let silent: TcpServer
let hanging: string[]
let neighbour: { workspaceId: string; mailboxId: string }
beforeEach(async () => {
  sending = await testSending()
  silent = await startTcpServer(() => undefined)
  hanging = []
  for (let i = 0; i < hangingMailboxes; i++) {
    const from = `h${i}@example.com`
    hanging.push((await sending.createMailbox(from, imapSettings(silent.port, from))).id)
  }
  const { id: workspaceId } = await createWorkspace(sending.ctx, 'neighbour')
  sending.store.addAccount({ address, password: 'correct horse' })
  const { imap } = imapSettings(await sending.startImap(), address)
  const { id: mailboxId } = await addMailbox(
    sending.ctx,
    workspaceId,
    {
      address,
      imap,
      smtp: imap,
    },
    operator,
  )
  neighbour = { workspaceId, mailboxId }
})
afterEach(async () => {
  await silent[Symbol.asyncDispose]()
  await sending[Symbol.asyncDispose]()
})

/** Nobody waits in it until copies are gathered, and it raises a signal after each copy. */
function hurried(ctx: ProcessContext, onAppended: () => void): ProcessContext {
  const connectImap: typeof ctx.mail.connectImap = async (server) => {
    const connection = await ctx.mail.connectImap(server)
    const append = connection.append.bind(connection)
    connection.append = async (...what) => {
      await append(...what)
      onAppended()
    }
    return connection
  }
  return { ...ctx, sleep: async () => undefined, mail: { ...ctx.mail, connectImap } }
}

test('servers that hang hold back the copies of their own workspace only', async () => {
  const appended = createSignal()
  let count = 0
  const copies = new SentCopies(
    hurried(sending.ctx, () => {
      count += 1
      appended.raise()
    }),
  )
  const bytes = Buffer.from('Subject: One\r\n\r\n')
  for (const id of hanging)
    copies.add(sending.workspaceId, id, { messageId: '<1@x.example>', bytes })
  copies.add(neighbour.workspaceId, neighbour.mailboxId, { messageId: '<2@x.example>', bytes })
  await appended.until(() => count === 1)
  expect(sending.account(address).folders.get('Sent')?.mails).toHaveLength(1)
  expect(silent.connections).toBeLessThan(hangingMailboxes)
})

test('servers that hang keep only the uncertain mails of their own workspace waiting, and no later look', async () => {
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const now = ctx.now()
  const uncertain = (workspace_id: string, mailbox_id: string) => ({
    ...{ workspace_id, mailbox_id, lead_id: ctx.newId(), step_id: ctx.newId(), id: ctx.newId() },
    ...{ campaign_id: ctx.newId(), variant_id: ctx.newId(), step: 1, variant: 1 },
    ...{ message_id: '<1@x.example>', starts_thread: true, state: 'uncertain', claim_token: 0 },
    ...{ is_new: true, campaign_day: '2026-11-20', mailbox_day: '2026-11-20' },
    ...{ timestamp_claimed: now, timestamp_transmitting: now, look_at: now },
  })
  const rows = hanging.map((id) => uncertain(workspaceId, id))
  await peek.insertInto('sends').values(rows).execute()
  const { settlements } = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
  const mails = new UncertainMails(ctx, settlements)
  const buckets = Array.from({ length: 256 }, (_, bucket) => bucket)
  await mails.begin(buckets)
  const theirs = uncertain(neighbour.workspaceId, neighbour.mailboxId)
  await peek.insertInto('sends').values(theirs).execute()
  await mails.begin(buckets)
  await ctx.database.until(async () => {
    const of = peek.selectFrom('sends').select('look_at').where('id', '=', theirs.id)
    const { look_at } = await of.executeTakeFirstOrThrow()
    return look_at !== null && look_at > now
  })
  expect(silent.connections).toBeLessThan(hangingMailboxes)
})
