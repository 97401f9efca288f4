import { existsSync } from 'node:fs'
import pino from 'pino'
import { expect, test, vi } from 'vitest'
import { testContext } from '../../test/context.ts'
import { testDatabase } from '../../test/database.ts'
import { operator } from '../features/audit/index.ts'
import { addMailbox } from '../features/mailboxes/index.ts'
import { ensureDefaultWorkspace } from '../features/workspaces/index.ts'
import { makeSite } from './database.ts'
import { runDemo } from './demo.ts'

const log = pino({ level: 'silent' })
const { signal } = new AbortController()

test('a database with a mailbox in it is refused, whoever names it', async () => {
  await using ctx = await testContext()
  const { url } = ctx.database
  const workspace = await ensureDefaultWorkspace(ctx)
  const server = { host: 'mail.example.com', username: 'ada', password: 'correct horse' }
  const mailbox = { address: 'ada@example.com', smtp: server, imap: server }
  await addMailbox(ctx, workspace?.id ?? '', mailbox, operator)
  const make = (given?: string, configured?: string) =>
    makeSite({ given, configured }, { log, signal })
  await expect(make(url)).rejects.toThrow(/^--database names a database with mailboxes in it/)
  await expect(make(undefined, url)).rejects.toThrow(/^DATABASE_URL names .* unset it/)
  await expect(make('postgres://u:secret@127.0.0.1:1/x')).rejects.toThrow(
    /^The database at 127\.0\.0\.1:1 does not answer/,
  )
})

test('on a server that is given it makes a database of its own; a stop leaves nothing of it', async () => {
  await using database = await testDatabase()
  const sandboxes = async () =>
    (await database.pool.query(`select from pg_database where datname ~ '^outrider_sandbox_'`))
      .rowCount
  const stopping = new AbortController()
  const seen: string[] = []
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((line) => {
    seen.push(String(line))
    if (String(line).includes('email.sent')) stopping.abort()
    return true
  })
  const result = await runDemo(
    {
      ...{ leads: 60, port: undefined, untilDone: true, json: true, log },
      // One that cannot be reached is not in its way.
      databases: { given: database.url, configured: 'postgres://u:secret@127.0.0.1:1/x' },
    },
    { signal: stopping.signal, requested: Promise.resolve() },
  ).finally(() => stdout.mockRestore())
  expect(seen.some((line) => line.includes('email.sent'))).toBe(true)
  expect(result.events['email.sent']).toBeGreaterThan(0)
  expect(await sandboxes()).toBe(0)
  expect(await database.peek.selectFrom('leads').select('id').execute()).toEqual([])
})

test('the folder of the sandbox is gone with it', async () => {
  await using database = await testDatabase()
  const site = await makeSite({ given: database.url, configured: undefined }, { log, signal })
  expect(existsSync(site.dataDir)).toBe(true)
  await site[Symbol.asyncDispose]()
  expect(existsSync(site.dataDir)).toBe(false)
})
