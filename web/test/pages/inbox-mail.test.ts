import { describe, expect, onTestFinished } from 'vitest'
import { operator } from '../../../server/src/features/audit/index.ts'
import { addMailbox } from '../../../server/src/features/mailboxes/index.ts'
import { listen } from '../../../server/src/kernel/db/listen.ts'
import { hintChannel } from '../../../server/src/kernel/runner/hint.ts'
import { startRunner } from '../../../server/src/loops.ts'
import { localNetwork } from '../../../server/test/mail/mail-servers.ts'
import {
  people,
  type RealServers,
  startRealServers,
  whyNoRealServers,
} from '../../../server/test/mail/real-servers.ts'
import { submit } from '../../../server/test/mail/submit.ts'
import { alwaysOpen } from '../../../server/test/sending.ts'
import { installClock } from '../browser.ts'
import { test } from './fixture.ts'

if (whyNoRealServers) console.warn(`Without postfix and dovecot: ${whyNoRealServers}.`)

const [anna = '', , lea = ''] = people

describe.skipIf(whyNoRealServers)('with postfix and dovecot', () => {
  test('a reply that arrives by IMAP appears, is answered, and the answer arrives by SMTP', async ({
    application,
    open,
  }) => {
    const { api, asOwner, visitor } = application
    const real = await startRealServers()
    onTestFinished(() => real[Symbol.asyncDispose]())
    const smtp = loginOf(real, 'smtp')
    const mailbox = { address: anna, display_name: 'Anna', smtp, imap: loginOf(real, 'imap') }
    await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
    const runner = await startRunner(api.ctx, {
      listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
    })
    onTestFinished(() => runner.stop())
    const steps = [{ variants: [{ subject: 'Hello {{first_name}}', body: '<p>Hi</p>' }] }]
    const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', {
      ...{ name: 'real', campaign_schedule: alwaysOpen, email_list: [anna] },
      ...{ email_gap: 0, random_wait_max: 0, sequences: [{ steps }] },
    })
    const leads = [{ email: lea, first_name: 'Lea' }]
    await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
    await asOwner('PATCH', `/app/api/v2/campaigns/${campaign.id}`, { status: 'active' })
    const first = await received(real, lea, 'Subject: Hello Lea')
    const messageId = /^Message-ID: (\S+)/im.exec(first)?.[1] ?? ''

    const page = await open(visitor, '/w/default/inbox')
    await page.getByText('Nothing waits').waitFor()
    const text = 'Gladly. Tell me more.'
    const startedMs = performance.now()
    await submit(real.server('smtp', lea), {
      ...{ from: lea, to: anna, subject: 'Re: Hello Lea', text, inReplyTo: messageId },
    })
    const row = page.getByRole('button', { name: /Gladly\. Tell me more\./ })
    await row.waitFor({ timeout: 60_000 })
    console.info(`From SMTP to the row: ${Math.round(performance.now() - startedMs)} ms.`)

    await row.click()
    await installClock(page)
    await page.getByRole('textbox', { name: 'Your answer' }).fill('It began on a Tuesday.')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.clock.fastForward(8000)
    const answer = await received(real, lea, 'It began on a Tuesday.')
    expect(answer).toContain('Subject: Re: Hello Lea')
    expect(answer).toMatch(/^From: Anna <anna@acme\.test>/m)
    await page.getByText('Nothing waits').waitFor()
  })
})

function loginOf(real: RealServers, kind: 'smtp' | 'imap') {
  const { port, username, credential } = real.server(kind, anna)
  const password = credential.kind === 'password' ? credential.password : ''
  return { host: '127.0.0.1', port, security: 'none' as const, username, password }
}

/** The next mail in somebody's INBOX that holds this, waited for by IDLE. */
async function received(real: RealServers, person: string, part: string): Promise<string> {
  await using imap = await localNetwork().connectImap(real.server('imap', person))
  await imap.select('INBOX')
  for (;;) {
    for await (const { source } of imap.fetch(1, { sourceBytesMax: 100_000 })) {
      if (source.toString().includes(part)) return source.toString()
    }
    await imap.idle(30_000)
  }
}
