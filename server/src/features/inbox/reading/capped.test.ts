import { expect, test } from 'vitest'
import { imapSettings, testSending } from '../../../../test/sending.ts'
import { MailboxOwner } from '../../mailbox-lanes/index.ts'
import { startInboxRunner } from '../index.ts'

test('with fewer connections than mailboxes all of them are read, and again, in turns', async () => {
  await using sending = await testSending({ hasReader: true })
  const { ctx } = sending
  const imapPort = await sending.startImap()
  const addresses = ['anna@example.com', 'bert@example.com', 'cleo@example.com']
  for (const address of addresses)
    await sending.createMailbox(address, imapSettings(imapPort, address))
  let elapsedMs = 0
  const capped = {
    ...ctx,
    config: { ...ctx.config, imapConnectionsMax: 1, leaseMs: 86_400_000 },
    monotonicMs: () => elapsedMs,
  }
  const owner = new MailboxOwner(capped)
  const reader = startInboxRunner(capped, owner)
  const { peek, until } = ctx.database
  const readings = async () =>
    (await peek.selectFrom('mailboxes').select('inbox_read_at').execute()).flatMap(
      ({ inbox_read_at }) => inbox_read_at ?? [],
    )
  for (let read = 1; read <= addresses.length; read++) {
    await until(async () => (await readings()).length === read)
    await until(async () => reader.mailboxesWaiting() === 2)
    expect(reader.imapConnections()).toBe(1)
    elapsedMs += 10 * 60_000
  }
  const last = Math.max(...(await readings()).map((at) => at.getTime()))
  await until(async () => (await readings()).some((at) => at.getTime() > last))
  await reader.stop()
  await owner.stop()
})
