import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { type MailServers, startMailServers } from '../../test/mail/mail-servers.ts'
import { MailboxOwner } from '../features/mailbox-lanes/index.ts'
import { startSendingRunner } from '../features/sending/index.ts'
import { createLog } from '../kernel/log.ts'
import { openOperator } from '../process/open.ts'
import { readCommandSettings } from '../process/service-settings.ts'

const database = commandDatabase()

async function inFile(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-inbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'file')
  await writeFile(file, content)
  return file
}

/** The part of the service that sends, on the database of the commands. */
async function startSender(): Promise<AsyncDisposable> {
  const opened = await openOperator(readCommandSettings().config, { log: createLog('fatal') })
  const owner = new MailboxOwner(opened.ctx)
  const runner = await startSendingRunner(opened.ctx, owner)
  return {
    async [Symbol.asyncDispose]() {
      await runner.stop()
      await owner.stop()
      await opened[Symbol.asyncDispose]()
    },
  }
}

function describe({ anna, smtpPort, imapPort }: MailServers) {
  const { address, password } = anna
  const login = { host: '127.0.0.1', security: 'none', username: address, password }
  return JSON.stringify({
    ...{ address, smtp: { ...login, port: smtpPort }, imap: { ...login, port: imapPort } },
  })
}

test('mailboxes are read, conversations listed, shown, answered and marked', async () => {
  await using servers = await startMailServers()
  const { id } = await json('mailboxes', 'add', await inFile(describe(servers)))
  const campaign = await queryUnchecked(
    database(),
    `insert into campaigns (workspace_id, id, name, status, campaign_schedule, sequences,
       email_gap, random_wait_max, stop_on_reply, stop_on_auto_reply,
       stop_for_company, open_tracking, link_tracking, text_only, first_email_text_only,
       insert_unsubscribe_header, prioritize_new_leads, timestamp_created, timestamp_updated)
     select w.id, gen_random_uuid(), 'c', 'draft',
       '{"schedules": [{"timezone": "UTC"}]}', '[]', 0, 0, true, false, false, false, false, false, false, false, false, now(), now()
     from workspaces w returning id, workspace_id`,
  )
  const { id: campaign_id, workspace_id } = campaign.rows[0] ?? {}
  const leadId = '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d'
  await queryUnchecked(
    database(),
    `insert into leads (workspace_id, id, campaign_id, email, email_folded, mailbox_id,
       timestamp_last_contact, timestamp_created, timestamp_updated, sending_state)
     values ($1, $2, $3, 'bob@example.com', 'bob@example.com', $4, now() - interval '1 hour',
       now(), now(), 'active')`,
    [workspace_id, leadId, campaign_id, id],
  )
  const mail = 'From: bob@example.com\r\nSubject: Re: Hello\r\nMessage-ID: <b@example.com>\r\n\r\n'
  servers.store.file(servers.anna, Buffer.from(`${mail}Tell me \u001b[31mmore.\r\n`))

  expect(await json('inbox', 'sync', '--mailbox', id)).toEqual({
    items: [{ id, address: 'anna@example.com', mails: 1, error: null }],
  })
  expect((await run('inbox', 'sync')).stdout).toContain('anna@example.com')
  const { items } = await json('inbox', 'list', '--unread', '--kind', 'reply')
  expect(items).toMatchObject([{ id: leadId, from_address: 'bob@example.com', unread: true }])
  expect((await run('inbox', 'list')).stdout).toContain('Re: Hello')
  const shown = await run('inbox', 'show', leadId)
  expect(shown.stdout).toContain('  Tell me \ufffd[31mmore.')

  const file = await inFile('Gladly.\n')
  const early = await run('inbox', 'reply', leadId, '--file', file)
  expect(early).toMatchObject({ code: 1, stdout: '' })
  expect(early.stderr).toContain('the service that sends mails is not running')

  await using _sender = await startSender()
  const reply = await json('inbox', 'reply', leadId, '--file', file)
  expect(reply).toMatchObject({ state: 'sent', to_address: 'bob@example.com' })
  expect(await json('inbox', 'reply', leadId, '--file', file)).toEqual(reply)
  const received = servers.bob.folders.get('INBOX')?.mails ?? []
  expect(received.map(({ source }) => /^In-Reply-To: (.*)$/m.exec(String(source))?.[1])).toEqual([
    '<b@example.com>',
  ])
  expect((await run('inbox', 'read', leadId, '--unread')).stdout).toBe('Marked as unread.\n')
  expect((await json('inbox', 'list', '--unread')).items).toHaveLength(1)

  await json('suppressions', 'add', 'bob@example.com')
  const refused = await run('inbox', 'reply', leadId, '--file', await inFile('More.'))
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('Nothing is sent to this address')
  const forced = await inFile('<p>More.</p>')
  const args = ['--file', forced, '--html', '--key', 'mine', '--force']
  expect((await run('inbox', 'reply', leadId, ...args)).stdout).toContain('The reply was sent.')
  servers.anna.password = 'changed'
  const unread = await run('inbox', 'sync')
  expect(unread.code).toBe(1)
  expect(unread.stdout).toContain('refused the user name or the password')
})

test('whether a reply unsubscribes by itself is set for each workspace', async () => {
  const set = (value: string) =>
    json('workspaces', 'set', 'default', '--unsubscribe-by-reply', value)
  expect(await set('on')).toMatchObject({ unsubscribe_by_reply: true })
  expect((await run('workspaces', 'list')).stdout).toContain('UNSUBSCRIBE BY REPLY')
  expect(await set('off')).toMatchObject({ unsubscribe_by_reply: false })
  expect((await run('workspaces', 'set', 'default')).code).toBe(2)
})
