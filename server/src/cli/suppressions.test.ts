import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { json, run } from '../../test/commands.ts'
import { type Inbox, report, testInbox } from '../../test/inbox.ts'
import { makeDataDir } from '../../test/processes.ts'

let inbox: Inbox
beforeEach(async () => {
  inbox = await testInbox()
  vi.stubEnv('DATABASE_URL', inbox.ctx.database.url)
  vi.stubEnv('OUTRIDER_SECRET_KEY', randomBytes(32).toString('base64'))
  vi.stubEnv('DATA_DIR', '/nowhere')
  vi.stubEnv('BASE_URL', '')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await inbox[Symbol.asyncDispose]()
})

test('a wrong suppression is undone by one command, which says what it undid', async () => {
  const { leadId, messageId, campaign } = await inbox.contact(['ada@lead.example'])
  inbox.startReader()
  inbox.arrive(report({ recipient: 'ada@lead.example', messageId }))
  await inbox.waitForEvents('email.bounced')

  const { code, stdout } = await run('suppressions', 'undo', 'Ada@Lead.example')
  expect(code).toBe(0)
  expect(stdout).toContain('ada@lead.example was suppressed (bounced) since 20')
  expect(stdout).toContain(leadId)
  expect(stdout).toMatch(/bounced +active +20/)
  expect(stdout).toContain(`The campaign test is completed: it sends nothing until PATCH`)
  expect(stdout).toContain(campaign.id)

  const again = await run('suppressions', 'undo', 'ada@lead.example')
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('not suppressed')
  expect((await run('suppressions', 'undo', 'lead.example')).stderr).toContain('nothing to undo')

  await json('suppressions', 'add', 'ada@lead.example')
  const seenBefore = ['--since', '2020-01-01T00:00:00Z']
  const other = await run('suppressions', 'undo', 'ada@lead.example', ...seenBefore)
  expect(other.stderr).toContain('has changed since it was shown')
  const { since } = await json('suppressions', 'show', 'ada@lead.example')
  const blocked = await json('suppressions', 'undo', 'ada@lead.example', '--since', since)
  expect(blocked).toMatchObject({ reason: 'blocked', leads: [], resting_campaigns: [] })
})

test('a list goes to standard output, comes from standard input, and a file that is not there is told in words', async () => {
  await json('suppressions', 'add', 'Eva@Bücher.example')
  const { code, stdout } = await run('suppressions', 'export', '-')
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /^value,kind,reason,timestamp_created\neva@bücher\.example,address,blocked,20.*\n$/,
  )
  expect(await json('suppressions', 'show', 'eva@bücher.example')).toMatchObject({
    suppressed: true,
    by: 'address',
  })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(
    Readable.from([Buffer.from('max@lead.example\nlead.invalid\n')]) as typeof process.stdin,
  )
  expect(await json('suppressions', 'import', '-')).toMatchObject({ added: 2 })
  vi.restoreAllMocks()
  const missing = await run('suppressions', 'import', '/nowhere/list.csv')
  expect(missing).toEqual({
    ...{ code: 1, stdout: '', stderr: 'There is no file or folder /nowhere/list.csv.\n' },
  })
})

test('an export that is broken off leaves the file of the last one as it was', async () => {
  const folder = await makeDataDir()
  const file = join(folder, 'blocked.csv')
  await writeFile(file, 'yesterday', { mode: 0o644 })
  await json('suppressions', 'add', 'eva@lead.example')
  const { pool } = inbox.ctx.database
  await pool.query('alter table suppressions rename to away')
  expect((await run('suppressions', 'export', file)).code).toBe(1)
  expect([await readFile(file, 'utf8'), await readdir(folder)]).toEqual([
    'yesterday',
    ['blocked.csv'],
  ])
  await pool.query('alter table away rename to suppressions')
  expect(await json('suppressions', 'export', file)).toEqual({ entries: 1 })
  expect(await readFile(file, 'utf8')).toMatch(/eva@lead\.example.*\n$/)
  expect([(await stat(file)).mode & 0o777, await readdir(folder)]).toEqual([0o600, ['blocked.csv']])
})
