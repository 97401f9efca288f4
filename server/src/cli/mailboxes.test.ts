import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'
import { type MailServers, startMailServers } from '../../test/mail/mail-servers.ts'
import { makeDataDir } from '../../test/processes.ts'
import { writeServiceSettings } from '../process/service-settings.ts'

commandDatabase()

async function inFile(content: unknown): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-mailbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'mailbox.json')
  await writeFile(file, JSON.stringify(content))
  return file
}

function describe({ anna, smtpPort, imapPort }: MailServers) {
  const { address, password } = anna
  const login = { host: '127.0.0.1', security: 'none', username: address, password }
  // No name server knows it, and none has to.
  const smtp = { ...login, port: smtpPort }
  return { address, smtp, imap: { ...login, port: imapPort } }
}

test('a mailbox is added, tested, changed, paused and resumed', async () => {
  await using servers = await startMailServers()
  const added = await run('mailboxes', 'add', await inFile(describe(servers)), '--json')
  const { id } = JSON.parse(added.stdout)

  const tested = await json('mailboxes', 'test', id)
  expect(tested).toMatchObject({ works: true, mailbox: { id, status: 'connected' } })
  const arrival = tested.steps.find(({ step }: { step: string }) => step === 'arrival')
  expect(arrival).toMatchObject({ status: 'ok' })

  const change = { display_name: 'Anna', smtp: { password: 'wrong' } }
  expect(await json('mailboxes', 'update', id, await inFile(change))).toMatchObject({
    display_name: 'Anna',
  })
  const failed = await run('mailboxes', 'test', id)
  expect(failed.code).toBe(1)
  expect(failed.stdout).toBe('The mailbox does not work yet.\n')
  expect(failed.stderr).toMatch(/^fail {2}smtp login: .* refused the user name .* app password\.$/m)
  expect(failed.stderr).not.toContain('wrong')
  const [listed] = (await json('mailboxes', 'list')).items
  expect(listed).toMatchObject({ status: 'error', status_reason: expect.any(String) })

  expect(await json('mailboxes', 'pause', id)).toMatchObject({ status: 'paused' })
  expect(await json('mailboxes', 'resume', id)).toMatchObject({ status: 'connected' })
  expect((await run('mailboxes', 'remove', id)).stdout).toContain('Anna')
})

test('the doctor looks at mailboxes and the domains of their addresses', async () => {
  await using servers = await startMailServers()
  const { id } = await json('mailboxes', 'add', await inFile(describe(servers)))
  const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
  const found = (check: string) => checks.find((one: { check: string }) => one.check === check)
  expect(found('mailboxes')).toMatchObject({ status: 'ok', detail: '1 connected' })
  expect(found('mail of example.com')).toMatchObject({ check: 'mail of example.com' })
  await json('mailboxes', 'remove', id)
})

test('a command that logs in is refused where it lacks the clients of the service, and leaves mailboxes as they are', async () => {
  await using servers = await startMailServers()
  const { id } = await json('mailboxes', 'add', await inFile(describe(servers)))
  const dataDir = await makeDataDir()
  const client = { GOOGLE_CLIENT_ID: 'ours', GOOGLE_CLIENT_SECRET: 'hidden' }
  await writeServiceSettings(dataDir, new Date(), client)
  vi.stubEnv('DATA_DIR', dataDir)
  const logIn = { test: ['mailboxes', 'test', id], sync: ['inbox', 'sync', '--mailbox', id] }
  for (const command of Object.values(logIn)) {
    expect(await run(...command)).toMatchObject({
      ...{ code: 1, stdout: '' },
      stderr: expect.stringContaining('runs with GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET'),
    })
  }
  const { items } = await json('mailboxes', 'list')
  expect(items).toMatchObject([{ id, status: 'connected' }])
  for (const [name, value] of Object.entries(client)) vi.stubEnv(name, value)
  expect(await json(...logIn.test)).toMatchObject({ works: true })
  await json('mailboxes', 'remove', id)
})
