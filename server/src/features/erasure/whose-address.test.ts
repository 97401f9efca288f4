import { afterEach, beforeEach, expect, test } from 'vitest'
import { importer } from '../../../test/imports.ts'
import { type Inbox, letter, testInbox } from '../../../test/inbox.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { eraseLead } from './index.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
})
afterEach(() => inbox[Symbol.asyncDispose]())

const ada = 'ada@lead.example'

/** Everything that is stored of somebody: what they were sent, what they answered, and what was told of it. */
async function stored(address: string) {
  const { peek } = inbox.ctx.database
  const messages = await peek
    .selectFrom('messages')
    .select(['from_address', 'to_addresses', 'cc_addresses', 'subject', 'text', 'html', 'snippet'])
    .orderBy('id')
    .execute()
  const events = await peek
    .selectFrom('events')
    .select(['lead_email', 'body'])
    .orderBy('id')
    .execute()
  const threads = await peek.selectFrom('threads').select(['from_address', 'snippet']).execute()
  const rows = [...messages, ...events, ...threads].map((row) => JSON.stringify(row))
  return rows.filter((row) => row.includes(address))
}

test.each(['jo.ada@lead.example', 'joada@lead.example', 'ada@lead.example.org'])(
  '%s keeps everything when somebody is erased whose address is a part of it',
  async (other) => {
    const { messageId } = await inbox.contact([other])
    await inbox.contact([ada])
    inbox.startReader()
    const headers = [`In-Reply-To: ${messageId}`, 'Message-ID: <j1@x.example>']
    inbox.arrive(letter({ from: other, headers, body: `Write to ${other}, not to ${ada}.` }))
    await inbox.waitForEvents('lead.replied')
    const imports = importer(inbox)
    const { id } = await imports.send(`email\n${other}\n`)
    const { id: utf16 } = await imports.send(Buffer.from(`\ufeffemail\n${other}\n`, 'utf16le'))
    const before = await stored(other)
    expect(before.length).toBeGreaterThan(3)
    await eraseLead(inbox.ctx, ada)
    const isNamed = (row: string) => row.includes(`not to ${ada}`)
    expect(await stored(other)).toEqual(
      expect.arrayContaining(before.filter((row) => !isNamed(row))),
    )
    expect(await stored(other)).toContainEqual(
      expect.stringContaining(`${other}, not to [erased].`),
    )
    expect((await imports.get(id)).state).toBe('ready')
    expect((await imports.get(utf16)).state).toBe('ready')
  },
)

test('a file that is full of longer addresses is not looked through without end, and goes', async () => {
  const imports = importer(inbox)
  const fileOf = (count: number) =>
    `email\n${Array.from({ length: count }, (_, n) => `jo${n}${ada}\n`).join('')}`
  const few = await imports.send(fileOf(90))
  const many = await imports.send(fileOf(110))
  await eraseLead(inbox.ctx, ada)
  expect((await imports.get(few.id)).state).toBe('ready')
  expect((await imports.get(many.id)).state).toBe('failed')
})

test('a person is erased in every spelling of their address', async () => {
  const typed = 'Zoë@Bücher.example'
  const { messageId } = await inbox.contact([typed])
  const other = await inbox.contact(['bob@lead.example'])
  inbox.startReader()
  const body = `I am ${typed}.\n${typed}, not\u00a0zoë@XN--BCHER-KVA.example!`
  const from = 'zoë@xn--bcher-kva.example'
  for (const [number, answered] of [messageId, other.messageId].entries()) {
    const headers = [`In-Reply-To: ${answered}`, `Message-ID: <z${number}@x.example>`]
    inbox.arrive(letter({ from: number === 0 ? from : 'bob@lead.example', headers, body }))
  }
  await inbox.waitForEvents('lead.replied', 2)
  const imports = importer(inbox)
  const files = ['utf8', 'latin1', 'utf16le'] as const
  for (const encoding of files) await imports.send(Buffer.from(`name\nx\n${typed}\n`, encoding))
  const { peek } = inbox.ctx.database
  const spellings = [typed.toLowerCase(), from, typed.toLowerCase().normalize('NFD')]
  expect(await tablesWith(peek, spellings[0] ?? '')).toContain('events')
  await eraseLead(inbox.ctx, typed)
  for (const spelling of spellings) expect(await tablesWith(peek, spelling)).toEqual([])
  expect(await peek.selectFrom('import_parts').select('number').execute()).toEqual([])
})
