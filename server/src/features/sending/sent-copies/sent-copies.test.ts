import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  imapSettings,
  type LedgerEntry,
  type Sending,
  testSending,
} from '../../../../test/sending.ts'
import { operator } from '../../audit/index.ts'
import { removeMailbox, updateMailbox } from '../../mailboxes/index.ts'
import { SentCopies } from './sent-copies.ts'

let sending: Sending
let imapPort: number
beforeEach(async () => {
  sending = await testSending()
  imapPort = await sending.startImap()
})
afterEach(() => sending[Symbol.asyncDispose]())

const address = 'anna@example.com'
const allSent = (entries: LedgerEntry[]) =>
  entries.length === 2 && entries.every(({ state }) => state === 'sent')

/** Two mails are sent, and the runner is stopped: then the copies are where they belong. */
async function sendTwo(
  more: object = {},
  arrange: () => void = () => undefined,
  settings: object = {},
) {
  const mailbox = await sending.createMailbox(address, {
    ...imapSettings(imapPort, address),
    ...more,
  })
  arrange()
  const campaign = await sending.createCampaign([mailbox], settings)
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['a@lead.example', 'b@lead.example'])
  await sending.waitForLedger(allSent)
  await runner.stop()
}

const account = () => sending.account(address)
const inSent = () => account().folders.get('Sent')?.mails ?? []
const idOf = (source: Buffer) => /^Message-ID: (.*)\r$/m.exec(source.toString())?.[1]

test('a copy of each mail is in the Sent folder, as it was sent', async () => {
  await sendTwo()
  expect(inSent().map(({ source }) => source.toString())).toEqual(
    sending.outbox.map(({ source }) => source.toString()),
  )
  expect(inSent().every(({ flags }) => flags.has('\\Seen'))).toBe(true)
})

test('the copy of a tracked mail is not tracked: whoever looks there is not the lead', async () => {
  const body = '<p>Hi <a href="https://shop.example/x">there</a></p>'
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body }] }] }]
  await sendTwo({}, undefined, { open_tracking: true, link_tracking: true, sequences })
  const texts = inSent().map(({ source }) => source.toString().replaceAll('=\r\n', ''))
  expect(texts).toHaveLength(2)
  for (const text of texts) {
    expect(text).toContain('shop.example/x')
    expect(text).not.toMatch(/\/[oc]\/[\w-]+/)
  }
  const sent = sending.outbox.map(({ source }) => source.toString().replaceAll('=\r\n', ''))
  expect(sent.every((text) => /\/o\/[\w-]+\.gif/.test(text))).toBe(true)
  expect(inSent().map(({ source }) => idOf(source))).toEqual(
    sending.outbox.map(({ source }) => idOf(source)),
  )
})

test('where the provider files it itself there is one copy', async () => {
  await sendTwo({ save_sent: 'on' }, () => {
    account().keepsSent = true
  })
  const ids = inSent().map(({ source }) => idOf(source))
  expect(ids).toHaveLength(2)
  expect(new Set(ids).size).toBe(2)
})

test('a mailbox that wants no copies gets none', async () => {
  await sendTwo({ save_sent: 'off' })
  expect(inSent()).toEqual([])
})

test('a reading server that does not answer is logged, and nothing else', async () => {
  await sendTwo(imapSettings(1, address))
  expect(sending.ctx.logLines.join('')).toContain('a Sent folder lacks mails')
  expect(sending.ctx.logLines.join('')).not.toContain(address)
  const { peek } = sending.ctx.database
  const [mailbox] = await peek.selectFrom('mailboxes').select('status').execute()
  expect(mailbox).toEqual({ status: 'connected' })
})

test('a reading server that refuses one copy after the other is told of once, and again when it had worked', async () => {
  const { ctx, workspaceId } = sending
  const { imap: server } = imapSettings(imapPort, address)
  const { id } = await sending.createMailbox(address, { imap: { ...server, password: 'wrong' } })
  const copies = new SentCopies(ctx)
  /** @returns how often the trouble was told */
  const file = async (messageId: string, password: string) => {
    await updateMailbox(ctx, workspaceId, id, { imap: { ...server, password } }, operator)
    copies.add(workspaceId, id, { messageId, bytes: Buffer.from('Subject: One\r\n\r\n') })
    await copies.stop(5_000)
    return ctx.logLines.filter((line) => line.includes('a Sent folder lacks mails')).length
  }
  expect(await file('<1@example.com>', 'wrong')).toBe(1)
  expect(await file('<2@example.com>', 'wrong')).toBe(1)
  expect(await file('<3@example.com>', 'correct horse')).toBe(1)
  expect(inSent()).toHaveLength(1)
  expect(await file('<4@example.com>', 'wrong')).toBe(2)
})

test('of a mailbox that was removed nobody is told that its Sent folder lacks mails', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox(address, imapSettings(imapPort, address))
  const copies = new SentCopies(ctx)
  copies.add(workspaceId, id, { messageId: '<1@example.com>', bytes: Buffer.from('Subject: One') })
  await removeMailbox(ctx, workspaceId, id, operator)
  await copies.stop(5_000)
  expect(ctx.logLines.join('')).not.toContain('lacks mails')
})
