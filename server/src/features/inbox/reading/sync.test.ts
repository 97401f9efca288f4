import { afterEach, beforeEach, expect, test } from 'vitest'
import { imapSettings, type Sending, testSending } from '../../../../test/sending.ts'
import { createSignal } from '../../../../test/signal.ts'
import { inWorkspace } from '../../../kernel/context.ts'
import { operator } from '../../audit/index.ts'
import { type Mailbox, removeMailbox } from '../../mailboxes/index.ts'
import { findLastReading, syncMailboxes } from '../index.ts'

let sending: Sending
const mailboxes: Mailbox[] = []
beforeEach(async () => {
  sending = await testSending({ hasReader: true })
  const imapPort = await sending.startImap()
  for (let number = 1; number <= 10; number++) {
    const address = `anna${number}@example.com`
    mailboxes.push(await sending.createMailbox(address, imapSettings(imapPort, address)))
  }
})
afterEach(async () => {
  mailboxes.length = 0
  await sending[Symbol.asyncDispose]()
})

/** Of ten, eight log in together; then this happens, and only then are they answered. */
async function syncAll(
  meanwhile: (
    others: Mailbox[],
    pass: (ms: number) => void,
    sync: () => ReturnType<typeof syncMailboxes>,
  ) => unknown,
) {
  const { ctx, workspaceId } = sending
  const begun: string[] = []
  const changed = createSignal()
  const answered = Promise.withResolvers<void>()
  let elapsedMs = 0
  const own = {
    ...ctx,
    monotonicMs: () => elapsedMs,
    mail: {
      ...ctx.mail,
      async connectImap(server: Parameters<typeof ctx.mail.connectImap>[0]) {
        begun.push(server.username)
        changed.raise()
        await answered.promise
        return ctx.mail.connectImap(server)
      },
    },
  }
  const sync = () =>
    syncMailboxes(inWorkspace(own, workspaceId), workspaceId, { beginWithinMs: 20_000 })
  const syncing = sync()
  await changed.until(() => begun.length === 8)
  const others = mailboxes.filter(({ address }) => !begun.includes(address))
  const pass = (ms: number) => {
    elapsedMs += ms
  }
  await meanwhile(others, pass, sync)
  answered.resolve()
  return { items: await syncing, others }
}

test('one that is removed while others are read is passed over, and the rest is read', async () => {
  const { items } = await syncAll(([other]) =>
    removeMailbox(sending.ctx, sending.workspaceId, other?.id ?? '', operator),
  )
  expect(items.map(({ error }) => error)).toEqual(Array.from({ length: 9 }, () => null))
})

test('no other is begun with once it has taken long, and each of these says so', async () => {
  const { items, others } = await syncAll((_, pass) => pass(20_000))
  const late = items.filter(({ error }) => error !== null)
  expect(items).toHaveLength(10)
  expect(late.map(({ id }) => id).toSorted()).toEqual(others.map(({ id }) => id).toSorted())
})

test('until when a mailbox was read is known to the day, also where nothing has come', async () => {
  const { ctx, workspaceId } = sending
  const mailboxId = mailboxes[0]?.id ?? ''
  const lastReading = async () => {
    await syncMailboxes(ctx, workspaceId, { mailboxId })
    return findLastReading(ctx.db, workspaceId, mailboxId)
  }
  const first = await lastReading()
  ctx.clock.advance(3_600_000)
  expect(await lastReading()).toEqual(first)
  ctx.clock.advance(86_400_000)
  const at = ctx.now()
  expect(Number(await lastReading())).toBeGreaterThanOrEqual(Number(at))
})

test('a workspace reads its mailboxes at most twice at once, and again when it has been read', async () => {
  let syncs: ReturnType<typeof syncMailboxes>[] = []
  await syncAll(async (_others, _pass, sync) => {
    syncs = [sync()]
    await expect(sync()).rejects.toMatchObject({ code: 'rate_limited' })
  })
  for (const items of await Promise.all(syncs)) expect(items).toHaveLength(10)
  await syncAll(() => undefined)
})
