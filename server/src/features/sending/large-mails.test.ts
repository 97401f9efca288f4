import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import type { FreeContext } from '../../../test/context.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { createSignal } from '../../../test/signal.ts'
import type { SmtpConnection } from '../../kernel/mail/index.ts'

/** More mailboxes than there is room for mails of this size in one workspace. */
const mailboxes = 8
const sentMails = 24
const body = `<p>${'A line of a long mail. '.repeat(11_000)}</p>`

let sending: Sending
const goOn = Promise.withResolvers<void>()
afterEach(async () => {
  goOn.resolve()
  await sending[Symbol.asyncDispose]()
})

/** Mails leave until so many were sent; the next ones hang. */
function hangsAfter(
  ctx: FreeContext,
  count: number,
): { ctx: FreeContext; sent: WeakRef<Buffer>[] } {
  const sent: WeakRef<Buffer>[] = []
  const slow = (connection: SmtpConnection): SmtpConnection => ({
    get isOpen() {
      return connection.isOpen
    },
    begin: (envelope) => connection.begin(envelope),
    close: () => connection.close(),
    async finish(bytes, next) {
      if (sent.length === count) await goOn.promise
      else sent.push(new WeakRef(bytes))
      return connection.finish(bytes, next)
    },
  })
  const mail: FreeContext['mail'] = {
    ...ctx.mail,
    connectSmtp: async (server) => slow(await ctx.mail.connectSmtp(server)),
  }
  return { ctx: { ...ctx, mail }, sent }
}

test('a mailbox that waits for room keeps no mail that it has sent', async () => {
  sending = await testSending()
  const { ctx, sent } = hangsAfter(sending.ctx, sentMails)
  const senders = await Promise.all(
    Array.from({ length: mailboxes }, (_, n) =>
      sending.createMailbox(`sender${n}@example.com`, { save_sent: 'off' }),
    ),
  )
  const campaign = await sending.createCampaign(senders, {
    sequences: [{ steps: [{ variants: [{ subject: 'Long', body }] }] }],
  })
  const emails = Array.from({ length: 4 * sentMails }, (_, n) => `lead${n}@company.example`)
  await sending.addLeads(campaign.id, emails)
  const settled = createSignal()
  const ids = new Set<string>()
  await sending.startRunner(ctx, {
    onSettled({ claim }) {
      ids.add(claim.id)
      settled.raise()
    },
  })
  await settled.until(async () => {
    const all = (await sending.ledger()).filter(({ state }) => state === 'sent')
    return all.length === sentMails && all.every(({ id }) => ids.has(id))
  })
  await nextTurn()
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  collectGarbage()
  expect(sent.filter((mail) => mail.deref() !== undefined)).toHaveLength(0)
})
