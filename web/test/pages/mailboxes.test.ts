import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import { type MailServers, startMailServers } from '../../../server/test/mail/mail-servers.ts'
import { createRealMailbox } from '../../../server/test/mail/mailboxes.ts'
import { startOAuthProvider } from '../../../server/test/mail/oauth-provider.ts'
import { patience } from '../../../server/test/patience.ts'
import type { Application } from '../application.ts'
import { allowFailures, expectFailures } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { waitUntilShown } from '../screens.ts'
import { test } from './fixture.ts'

const path = '/w/default/settings/mailboxes'
const anna = 'anna@example.com'

/** What name servers say; nothing of it leaves the machine. */
function answerLookups({ api }: Application, mailServers: Record<string, string[]> = {}) {
  api.ctx.lookupMail = async (domain) => mailServers[domain] ?? ['mx.hoster.example']
  api.ctx.lookupText = async () => []
}

async function fillServer(page: Page, side: string, port: number) {
  const fields = page.getByRole('group', { name: side })
  await fields.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1')
  await fields.getByRole('spinbutton', { name: 'Port' }).fill(String(port))
  await fields.getByRole('combobox', { name: 'Encryption' }).selectOption('none')
}

async function connectByPassword(page: Page, servers: MailServers) {
  await page.getByRole('link', { name: 'Connect mailbox' }).first().click()
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(anna)
  await page.keyboard.press('Enter')
  await fillServer(page, 'Sending (SMTP)', servers.smtpPort)
  await fillServer(page, 'Reading (IMAP)', servers.imapPort)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Log in and test' }).click()
}

test('a mailbox is connected from its address to a mail that arrives, and a wrong password is mended on the way', async ({
  application,
  open,
}) => {
  await using servers = await startMailServers()
  answerLookups(application)
  const page = await open(application.visitor, path)
  // What the test found of the domain stays until the records stand below.
  const records = '**/mailboxes/*/dns'
  expectFailures(page, 'GET /app/mailboxes/:id/dns 409')
  await page.route(records, (route) => route.fulfill(refusal(409, 'No records can be read now.')))
  await page.getByText('No mailboxes yet').waitFor()
  await connectByPassword(page, servers)
  await page.getByText('refused the user name or the password').first().waitFor()
  await page.getByText('The mailbox does not work yet.').waitFor()
  await page.getByLabel('Password', { exact: true }).fill('correct horse')
  await page.getByRole('button', { name: 'Save login' }).click()
  await page.getByText('The mailbox works.').waitFor()
  await page.getByText('No records can be read now.').waitFor()
  const found = page.locator('ol > li').filter({ hasText: /^DMARC/ })
  await found.waitFor()
  await page.unroute(records)
  await page.getByRole('button', { name: 'Try again' }).click()
  await found.waitFor({ state: 'detached' })
  const missing = page.getByRole('region', { name: 'Domain' })
  const record = missing.getByRole('textbox', { name: 'Value' }).first()
  expect(await record.inputValue()).toBe('v=DMARC1; p=none')
  await missing.getByRole('button', { name: 'Check again' }).waitFor()
  await page.getByLabel('Mails a day').fill('30')
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('Anna <b>Bold</b>')
  // What is typed outlives another test, whatever comes of it.
  const over = { step: 'done', status: 'fail', detail: '', remedy: null }
  const body = `${JSON.stringify(over)}\n`
  await page.route(
    '**/app/mailboxes/*/test',
    (route) => route.fulfill({ contentType: 'application/x-ndjson', body }),
    { times: 1 },
  )
  await page.getByRole('button', { name: 'Test again' }).click()
  await page.getByText('The mailbox does not work yet.').waitFor()
  expect(await name.inputValue()).toBe('Anna <b>Bold</b>')
  await page.getByRole('button', { name: 'Save and finish' }).click()
  await page.getByText('1 of 7').waitFor()
  await page.getByRole('link', { name: 'Mailboxes' }).click()
  const row = page.getByRole('row', { name: anna })
  await row.getByText('0 of 5').waitFor()
  await row.getByText('Anna <b>Bold</b>').waitFor()

  await page.getByRole('link', { name: anna }).click()
  await page.getByRole('heading', { name: anna }).waitFor()
  await expect.poll(() => page.title()).toBe(`${anna} · Outrider`)
  // What is written is what its readers get, and no variable is filled in. On a telephone nothing moves
  // away under the finger when the editor is left.
  await page.setViewportSize({ width: 390, height: 844 })
  const signature = page.getByRole('textbox', { name: 'Signature' })
  // What somebody else changes meanwhile is shown, and not put back by what is saved here.
  const ofMailbox = `/app/mailboxes/${page.url().split('/').at(-1)}`
  await application.asOwner('PATCH', ofMailbox, { daily_limit: 40 })
  await expect.poll(() => page.getByLabel('Mails a day').inputValue()).toBe('40')
  // Servers are shown as they are, and go along with a password that is typed later.
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const user = page.getByRole('group', { name: 'Sending (SMTP)' }).getByLabel('User name')
  expect(await user.inputValue()).toBe(anna)
  await application.asOwner('PATCH', ofMailbox, { smtp: { username: 'somebody' } })
  await expect.poll(() => user.inputValue(), patience).toBe('somebody')
  // So does a server that was left alone while a password is typed, which is sent with it.
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('half')
  await application.asOwner('PATCH', ofMailbox, { imap: { username: 'reader' } })
  const reader = page.getByRole('group', { name: 'Reading (IMAP)' }).getByLabel('User name')
  await expect.poll(() => reader.inputValue(), patience).toBe('reader')
  expect(await password.inputValue()).toBe('half')
  await password.fill('')
  await signature.fill('Anna <script> {{name}}')
  await application.asOwner('PATCH', ofMailbox, { daily_limit: 50 })
  await signature.press('Control+a')
  await page.getByRole('button', { name: 'Bold' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  const stored = await application.api.ctx.database.peek
    .selectFrom('mailboxes')
    .select(['signature', 'daily_limit'])
    .where('address', '=', anna)
    .executeTakeFirstOrThrow()
  expect(stored).toEqual({
    ...{ signature: '<p><strong>Anna &lt;script&gt; {{name}}</strong></p>', daily_limit: 50 },
  })
  await expect.poll(() => page.getByLabel('Mails a day').inputValue()).toBe('50')
  await page.getByText('As sent', { exact: true }).click()
  const sent = page.frameLocator('iframe[title="Signature"]').locator('strong')
  expect(await sent.textContent()).toBe('Anna <script> {{name}}')
  await page.setViewportSize({ width: 1280, height: 720 })

  const dmarc = page.getByRole('textbox', { name: 'Value' })
  expect(await dmarc.first().inputValue()).toBe('v=DMARC1; p=none')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Nothing is sent from it and nothing is read').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
  await page.getByRole('button', { name: 'Remove mailbox' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove mailbox' }).click()
  await page.getByText('No mailboxes yet').waitFor()
})

test('“Connect Google” leads to its consent and back; declined or withdrawn it says so, and is given anew for the same mailbox', async ({
  application,
  open,
}) => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  vi.spyOn(console, 'info').mockImplementation(() => undefined)
  await using servers = await startMailServers()
  const { config } = application.api.ctx
  config.baseUrl = application.address
  await using provider = await startOAuthProvider(servers, `${application.address}/consent`)
  answerLookups(application, { 'example.com': ['aspmx.l.google.com'] })
  const page = await open(application.visitor, `${path}/connect?address=${anna}`)

  expectFailures(page, /^POST \/app\/mailboxes\/consent\/finish 4/)
  // The letters of the provider's own page, which are elsewhere.
  allowFailures(page, 'GET /css lost')
  await page.getByText('Set up “Connect Google”').click()
  const redirect = page.getByRole('textbox', { name: 'Redirect address' })
  expect(await redirect.inputValue()).toBe(`${application.address}/consent`)

  config.mailClients = { google: provider.client }
  await page.reload()
  const connect = page.getByRole('button', { name: 'Connect Google' })
  // A browser that keeps nothing still leads there.
  await page.evaluate(`Storage.prototype.setItem = () => {
    throw new DOMException('full', 'QuotaExceededError')
  }`)
  await connect.click()
  await page.getByText('[ Cancel ]').waitFor()
  await page.goBack()
  await connect.click()
  await page.getByText('[ Cancel ]').click()
  await page.getByText('The consent was declined at Google.').waitFor()
  await connect.waitFor()

  const agree = async (button: string) => {
    await page.getByRole('button', { name: button }).click()
    await page.getByPlaceholder('Enter any login').fill(anna)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  // Whoever leaves out a part is told which, and asked again in place.
  provider.withheld = 'https://mail.google.com/'
  await agree('Connect Google')
  await page.getByText('Read, compose, send and permanently delete').waitFor()
  provider.withheld = undefined
  await page.context().clearCookies({ domain: '127.0.0.1', path: '/' })
  await agree('Connect Google')
  await page.getByText('The mailbox works.').waitFor()
  expect(page.url()).not.toContain('code=')
  const mailboxId = new URL(page.url()).searchParams.get('mailbox')

  await provider.revoke()
  await page.context().clearCookies({ domain: '127.0.0.1', path: '/' })
  await page.goto(`${application.address}${path}/${mailboxId}`)
  await page.getByRole('button', { name: 'Test mailbox' }).click()
  await page.getByRole('alert').getByText('was withdrawn or has expired').waitFor()
  await page.getByRole('button', { name: 'Reconnect Google' }).click()
  await page
    .getByRole('button', { name: 'Continue' })
    .or(page.getByPlaceholder('Enter any login'))
    .waitFor()
  if (await page.getByPlaceholder('Enter any login').isVisible()) {
    await page.getByPlaceholder('Enter any login').fill(anna)
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
  }
  await page.getByRole('button', { name: 'Continue' }).click()
  // Its settings are as they were, so none are offered.
  await page.waitForURL(`**${path}/${mailboxId}`)
  // The new login is tested by itself, once.
  await page.getByText('The mailbox works.').waitFor()
  expect(await page.getByText('Saved', { exact: true }).count()).toBe(0)
  await page.reload()
  await page.getByRole('button', { name: 'Test mailbox' }).waitFor()
  // Nor by whoever follows a link.
  await page.goto(`${application.address}${path}/${mailboxId}?panel=test`)
  await page.getByRole('button', { name: 'Test mailbox' }).waitFor()
})

test('another login is tested as soon as it is saved, and what comes of it is the state of the mailbox', async ({
  application,
  open,
}) => {
  await using servers = await startMailServers()
  answerLookups(application)
  const { api, visitor } = application
  const { id } = await createRealMailbox(api.ctx, api.workspaceId, servers, servers.bob)
  const page = await open(visitor, `${path}/${id}`)
  const state = page.getByRole('region', { name: 'State' })
  const save = async (password: string) => {
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.getByRole('button', { name: 'Save login and test' }).click()
  }
  await save('wrong')
  await page.getByText('The mailbox does not work yet.').waitFor()
  await state.getByText(/refused the user name or the password/).waitFor()
  await save(servers.bob.password)
  await page.getByText('The mailbox works.').waitFor()
  // Nobody reads it in this test.
  await state.getByText('Starting', { exact: true }).waitFor()
})

test('conversations are handed to another mailbox after their number was seen, those of a removed one as well', async ({
  application,
  open,
}) => {
  const { api, visitor, asOwner } = application
  answerLookups(application)
  const [from, to] = ['anna@over.example', 'bert@over.example']
  for (const address of [from, to]) {
    const servers = { smtpPort: 1, imapPort: 1 }
    await createRealMailbox(api.ctx, api.workspaceId, servers, { address, password: 'x' })
  }
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', {
    name: 'Autumn <b>',
    email_list: [from],
  })
  await asOwner('POST', '/app/api/v2/lead/add', {
    campaign_id: campaign.id,
    leads: [{ email: 'ann@lead.example' }],
  })
  // As after the first of its two mails.
  const { peek } = api.ctx.database
  const idOf = async (address: string) => {
    const found = peek.selectFrom('mailboxes').select('id').where('address', '=', address)
    return (await found.executeTakeFirstOrThrow()).id
  }
  const mailbox = { id: await idOf(from) }
  await peek
    .updateTable('leads')
    .set({ mailbox_id: mailbox.id, current_step: 1, sending_state: 'active' })
    .execute()

  const why = 'It cannot be read now.'
  const page = await open(visitor, `${path}/${mailbox.id}`)
  const refuse = (url: string) => page.route(url, (route) => route.fulfill(refusal(409, why)))
  const readAgain = async (url: string) => {
    const told = page.getByRole('alert').getByText(why)
    await told.waitFor()
    await page.unroute(url)
    await page.getByRole('button', { name: 'Try again' }).click()
    await told.waitFor({ state: 'detached' })
  }
  expectFailures(
    page,
    ...['GET /app/mailboxes 409', 'POST /app/mailboxes/hand-over 409'],
    ...['GET /app/mailboxes/:id/use 409', 'GET /app/mailboxes/removed 409'],
  )
  await refuse('**/app/mailboxes?*')
  await page.reload()
  await readAgain('**/app/mailboxes?*')
  await refuse('**/app/mailboxes/hand-over')
  // What comes into the page moves the list of mailboxes, and a click misses it.
  await waitUntilShown(page)
  await page.getByRole('combobox', { name: 'To which mailbox?' }).fill('bert')
  await page.getByRole('option', { name: to }).click()
  await page.getByRole('button', { name: 'Hand over …' }).click()
  const dialog = page.getByRole('dialog', { name: `Hand over to ${to}?` })
  await page.getByText(why).waitFor()
  expect(await dialog.getByText('No lead waits').count()).toBe(0)
  const confirm = dialog.getByRole('button', { name: 'Hand over', exact: true })
  expect(await confirm.isDisabled()).toBe(true)
  await readAgain('**/app/mailboxes/hand-over')
  await dialog.getByText('1 lead that waits for a follow-up').waitFor()
  await dialog.getByText(`a later hand-over from ${to} moves all of its conversations`).waitFor()
  await dialog.getByText('Autumn <b>: 1 lead').waitFor()
  await confirm.click()
  await page.getByText(`${to} goes on with 1 conversation.`).waitFor()
  const after = await asOwner('GET', `/app/api/v2/campaigns/${campaign.id}`)
  expect(after.body.email_list).toContain(to)
  const audit = await asOwner('GET', '/app/audit?action=mailbox.handed_over')
  expect(audit.body.items).toMatchObject([{ actor_type: 'user', details: { moved: 1 } }])

  await page.goto(`${application.address}${path}/${await idOf(to)}`)
  await waitUntilShown(page)
  await refuse('**/app/mailboxes/*/use')
  await page.getByRole('button', { name: 'Remove mailbox' }).click()
  await readAgain('**/app/mailboxes/*/use')
  await refuse('**/app/mailboxes/removed?*')
  const removal = page.getByRole('dialog', { name: `Remove ${to}?` })
  await removal.getByText('to another mailbox, now on this page', { exact: false }).waitFor()
  await removal.getByRole('button', { name: 'Remove mailbox' }).click()
  await page.getByRole('region', { name: 'Removed mailboxes' }).getByRole('alert').waitFor()
  await readAgain('**/app/mailboxes/removed?*')
  await page.getByRole('combobox', { name: 'From which mailbox?' }).click()
  await page.getByRole('option', { name: to }).click()
  await page.getByRole('combobox', { name: 'To which mailbox?' }).fill('anna')
  await page.getByRole('option', { name: from }).click()
  await page.getByRole('button', { name: 'Hand over …' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Hand over', exact: true }).click()
  await page.getByText(`${from} goes on with 1 conversation.`).waitFor()
  await page.getByRole('heading', { name: 'Removed mailboxes' }).waitFor({ state: 'detached' })
  const leads = await peek.selectFrom('leads').select('mailbox_id').execute()
  expect(leads).toEqual([{ mailbox_id: mailbox.id }])
})

test('of a record that is there and wrong the list says what is wrong, also to whom it is read', async ({
  application,
  open,
}) => {
  const { api, visitor } = application
  const records: Record<string, string[]> = {
    'wrong.example': ['v=spf1 -all', 'v=spf1 ~all'],
    '_dmarc.wrong.example': ['v=DMARC1; rua=mailto:a@wrong.example'],
  }
  answerLookups(application)
  api.ctx.lookupText = async (name) => records[name] ?? []
  const account = { address: 'anna@wrong.example', password: 'x' }
  await createRealMailbox(api.ctx, api.workspaceId, { smtpPort: 1, imapPort: 1 }, account)
  const page = await open(visitor, path)
  const row = page.getByRole('row', { name: account.address })
  await row.getByText('the domain has 2 of them').waitFor()
  await row.getByText('a record without a policy').waitFor()
  await row.getByText('no key under the usual selectors').waitFor()
})

test('the list keeps its place while it loads, and says why it cannot be read', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/account')
  await page.route('**/app/mailboxes?*', () => new Promise(() => undefined))
  await page.goto(`${application.address}${path}`)
  await page.getByRole('status').waitFor()
  await page.unroute('**/app/mailboxes?*')
  expectFailures(page, 'GET /app/mailboxes 429')
  await page.route('**/app/mailboxes?*', (route) =>
    route.fulfill(refusal(429, 'Too many requests; wait 3 s.')),
  )
  await page.reload()
  await page.getByRole('alert').getByText('Too many requests; wait 3 s.').waitFor()
  await page.unroute('**/app/mailboxes?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })

  const server = { host: '127.0.0.1', username: 'x', password: 'x', security: 'none' }
  const body = { address: 'known@before.example', smtp: server, imap: server }
  const { body: mailbox } = await application.asOwner('POST', '/app/mailboxes', body)
  // A link that searches for nothing empties the field as well.
  const link = page.getByRole('link', { name: body.address })
  await link.waitFor()
  await page.getByRole('searchbox').fill('nobody@')
  await link.waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Mailboxes' }).click()
  await link.waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('')

  // So does the page of one that was read before: what stays may be old.
  await page.goto(`${application.address}${path}/${mailbox.id}`)
  await waitUntilShown(page)
  expectFailures(page, 'GET /app/mailboxes/:id 409')
  await page.route(`**/app/mailboxes/${mailbox.id}`, (route) =>
    route.fulfill(refusal(409, 'It cannot be read now.')),
  )
  await application.asOwner('PATCH', `/app/mailboxes/${mailbox.id}`, { daily_limit: 7 })
  await page.getByRole('alert').getByText('It cannot be read now.').waitFor()
  await page.getByRole('heading', { name: body.address }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('It cannot be read now.').waitFor({ state: 'detached' })
  await application.asOwner('DELETE', `/app/mailboxes/${mailbox.id}`)
  allowFailures(page, /^GET \/app\/mailboxes\/:id.* 404$/)
})

test('a mailbox is removed only once it could be read where it is used', async ({
  application,
  open,
}) => {
  const server = { host: '127.0.0.1', username: 'x', password: 'x', security: 'none' }
  const body = { address: 'used@somewhere.example', smtp: server, imap: server }
  const { body: mailbox } = await application.asOwner('POST', '/app/mailboxes', body)
  const page = await open(application.visitor, `${path}/${mailbox.id}`)
  const use = '**/app/mailboxes/*/use'
  expectFailures(page, 'GET /app/mailboxes/:id/use 409')
  await page.route(use, (route) => route.fulfill(refusal(409, 'It cannot be read now.')))
  await page.getByRole('button', { name: 'Remove mailbox' }).click()
  const dialog = page.getByRole('dialog')
  const remove = dialog.getByRole('button', { name: 'Remove mailbox' })
  await dialog.getByRole('alert').waitFor()
  expect(await remove.isDisabled()).toBe(true)
  await page.unroute(use)
  await dialog.getByRole('button', { name: 'Try again' }).click()
  await remove.click()
  await page.getByText('used@somewhere.example is removed.').waitFor()
})

test('of what is gone the page says so, leads back, and offers no second try', async ({
  application,
  open,
}) => {
  const gone = '01a1771d-c62f-7286-ba4e-9042e3007000'
  const page = await open(application.visitor, `${path}/${gone}`)
  await page.getByText('There is no such mailbox here').waitFor()
  await page.getByRole('link', { name: 'All mailboxes' }).click()
  await page.getByRole('heading', { name: 'Mailboxes' }).waitFor()
  const server = { host: '127.0.0.1', username: 'x', password: 'x', security: 'none' }
  const body = { address: 'removed@meanwhile.example', smtp: server, imap: server }
  const { body: mailbox } = await application.asOwner('POST', '/app/mailboxes', body)
  await page.goto(`${application.address}${path}/${mailbox.id}`)
  await page.getByRole('heading', { name: body.address }).waitFor()
  await application.asOwner('DELETE', `/app/mailboxes/${mailbox.id}`)
  await page.getByText('There is no such mailbox here').waitFor()
  await page.goto(`${application.address}/w/default/leads?lead=${gone}`)
  await page.getByText('There is no such lead here. It may have been deleted.').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  allowFailures(page, /^GET \/app\/mailboxes\/:id.* 404$/)
  allowFailures(page, /^GET \/app\/leads\/:id.* 404$/)
})
