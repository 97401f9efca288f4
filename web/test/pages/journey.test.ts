import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { startImapServer, startSmtpServer } from '../../../server/src/demo/mail-server/index.ts'
import { writeReply } from '../../../server/src/demo/people/letter.ts'
import { readMail } from '../../../server/src/demo/people/mail-program.ts'
import { listen } from '../../../server/src/kernel/db/listen.ts'
import { hintChannel } from '../../../server/src/kernel/runner/hint.ts'
import { startRunner } from '../../../server/src/loops.ts'
import { setUpToken } from '../../../server/test/browser.ts'
import { createOutbox, type Outbox } from '../../../server/test/mail/outbox.ts'
import { patience } from '../../../server/test/patience.ts'
import { type Application, owner, startApplication } from '../application.ts'
import {
  allowFailures,
  expectFailures,
  faultsOf,
  findBarriers,
  installClock,
  openWatched,
} from '../browser.ts'
import { test } from './fixture.ts'

const anna = { address: 'anna@example.com', password: 'correct horse' }
const ada = { email: 'ada@lead.example', name: 'Ada Lovelace' }

test('from the printed link to a lead who is answered, a verified webhook, and a key that is revoked', async ({
  browser,
}) => {
  await using application = await startApplication({ isSetUp: false })
  await using service = await startService(application)
  const { address } = application
  const page = await openWatched(browser)
  await setUp(page, application)

  await page.getByRole('link', { name: 'Connect a mailbox' }).click()
  await connectMailbox(page, service)
  await page.getByRole('link', { name: 'Import leads' }).click()
  await importLead(page)
  await goHome(page)
  const write = page.getByRole('link', { name: 'Write the first mail' })
  // Until Home knows of the draft, it leads to the list of campaigns.
  await expect.poll(() => write.getAttribute('href'), patience).toMatch(/\/campaigns\/./)
  await write.click()
  await writeSteps(page)
  await launch(page)
  const [mail] = await service.outbox.waitFor(1)
  expect(mail).toMatchObject({ from: anna.address, to: ada.email })
  const sent = await readMail(mail?.source ?? Buffer.of())
  expect(sent.subject).toBe('Hello Ada')
  expect(sent.text).toContain('what about lunch?')

  // The page is open already when the reply comes.
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByText('Nothing waits').waitFor()
  const reply = writeReply(ada, sent, 'Gladly. Tuesday at ten?', new Date())
  const account = service.outbox.store.find(anna.address)
  if (account) service.outbox.store.file(account, reply.source)
  await page.getByRole('button', { name: /Ada/ }).click()
  await page.getByText('Gladly. Tuesday at ten?').last().waitFor()
  await page.getByRole('textbox', { name: 'Your answer' }).fill('Ten it is.')
  await installClock(page)
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Sent in 8 s').waitFor()
  await page.clock.fastForward(8000)
  const [, answer] = await service.outbox.waitFor(2)
  const answered = await readMail(answer?.source ?? Buffer.of())
  expect(answered.subject).toBe('Re: Hello Ada')
  expect(answered.text).toContain('Ten it is.')

  await goHome(page)
  await page.getByRole('link', { name: 'Create a service account' }).click()
  const key = await createKey(page)
  const call = () =>
    fetch(`${address}/api/v2/campaigns`, { headers: { authorization: `Bearer ${key}` } })
  expect((await call()).status).toBe(200)

  await page.getByRole('link', { name: 'Webhooks' }).click()
  await createWebhook(page)
  // Somebody else works in the inbox, and what they do arrives while this page is looked at.
  const colleague = await page.context().newPage()
  await colleague.goto(`${address}/w/default/inbox?view=all`)
  await colleague.getByRole('button', { name: /Ada/ }).click()
  await colleague.getByText('Ten it is.').waitFor()
  await colleague.keyboard.press('1')
  await colleague.getByText('Now: Interested.').waitFor()
  await colleague.close()
  const receiver = page.getByRole('region', { name: 'Try-out receiver' })
  const delivered = receiver.locator('summary').filter({ hasText: 'lead.interested' })
  await delivered.getByText('Verified').waitFor()
  await page.getByRole('grid', { name: 'Deliveries' }).getByText(ada.email).waitFor()

  await page.getByRole('link', { name: 'OAuth service accounts' }).click()
  await page.getByRole('button', { name: 'Revoke CRM sync' }).click()
  await page.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No keys yet').waitFor()
  expect((await call()).status).toBe(401)
  expect(faultsOf(page.context())).toEqual([])
  await page.context().close()
})

test('who signs out is let in again by the right password, and nobody sets up twice', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default')
  // What was being read when the session ended.
  allowFailures(page, /^GET .* 401$/)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.getByLabel('E-mail address').fill(owner.email)
  expectFailures(page, 'POST /app/session 401')
  await page.getByLabel('Password', { exact: true }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').getByText('The address or the password is not right.').waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goto(`${application.address}/set-up#anything`)
  await page.getByText('Outrider is set up').waitFor()
})

interface Service extends AsyncDisposable {
  /** What the mail server of everybody outside took. */
  outbox: Outbox
  smtpPort: number
  imapPort: number
}

/** What sends, reads and delivers, and the mail server that it does so with. */
async function startService({ api, address }: Application): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const { ctx } = api
  ctx.config.baseUrl = address
  ctx.lookupMail = async () => ['mx.hoster.example']
  ctx.lookupText = async () => []
  const outbox = createOutbox()
  outbox.store.addAccount(anna)
  const smtp = stack.use(await startSmtpServer(outbox.store))
  const imap = stack.use(await startImapServer(outbox.store))
  const runner = await startRunner(ctx, {
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
  })
  stack.defer(() => runner.stop())
  const started = stack.move()
  return {
    ...{ outbox, smtpPort: smtp.port, imapPort: imap.port },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

const goHome = (page: Page) => page.getByRole('link', { name: 'Home' }).click()

async function setUp(page: Page, { api, address }: Application) {
  // Whatever is opened first leads to the set-up page; without the token it says what to do.
  await page.goto(address)
  await page.getByText('The link is incomplete').waitFor()
  await page.getByText('npx outrider users set-up-link').waitFor()
  await page.goto(`${address}/set-up#${await setUpToken(api)}`)
  await page.getByLabel('Your name').fill(owner.name)
  await page.getByLabel('E-mail address').fill(owner.email)
  await page.getByLabel('Password', { exact: true }).fill(owner.password)
  await page.getByLabel('Team or company').fill('Acme')
  expect(await findBarriers(page)).toEqual([])
  await page.getByRole('button', { name: 'Create owner' }).click()
  await page.getByRole('heading', { name: 'Get going' }).waitFor()
  await page.getByText('Acme', { exact: true }).first().waitFor()
}

async function connectMailbox(page: Page, { smtpPort, imapPort }: Service) {
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(anna.address)
  await page.keyboard.press('Enter')
  for (const [side, port] of [
    ['Sending (SMTP)', smtpPort],
    ['Reading (IMAP)', imapPort],
  ] as const) {
    const fields = page.getByRole('group', { name: side })
    await fields.getByRole('textbox', { name: 'Server' }).fill('127.0.0.1')
    await fields.getByRole('spinbutton', { name: 'Port' }).fill(String(port))
    await fields.getByRole('combobox', { name: 'Encryption' }).selectOption('none')
  }
  await page.getByLabel('Password', { exact: true }).fill(anna.password)
  await page.getByRole('button', { name: 'Log in and test' }).click()
  await page.getByText('Wait for it').waitFor()
  await page.getByText('The mailbox works.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Anna Ahlers')
  await page.getByRole('button', { name: 'Save and finish' }).click()
  // Back where the next thing to do stands.
  await page.getByText('1 of 7').waitFor()
}

/** With the campaign that it is for, which is made on the way. */
async function importLead(page: Page) {
  const rows = `Email,First name,Company\n${ada.email},Ada,Analytical Engines\nnobody,Bob,\n`
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'founders.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) },
  })
  await page.getByRole('combobox', { name: 'Campaign' }).fill('Founders')
  await page.getByRole('option', { name: 'Founders' }).click()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('cell', { name: 'without a valid address' }).waitFor()
  await page.getByRole('button', { name: 'Import 1 lead' }).click()
  await page.getByText('Finished').waitFor()
}

/** Two mails, at any hour, as they are previewed for the lead. */
async function writeSteps(page: Page) {
  await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{first_name}}')
  await page.getByRole('textbox', { name: 'Text', exact: true }).click()
  await page.keyboard.type('Hi {{first_name}}, {what about|what about} lunch?')
  await page.getByRole('button', { name: 'Add step' }).click()
  await page.getByRole('textbox', { name: 'Text', exact: true }).last().click()
  await page.keyboard.type('Did you see my mail?')

  await page.getByRole('link', { name: 'Schedule' }).click()
  for (const day of ['Sat', 'Sun']) await page.getByRole('button', { name: day }).click()
  await page.getByRole('textbox', { name: 'From' }).fill('00:00')
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('24:00')
  await page.getByRole('textbox', { name: 'To', exact: true }).blur()
  await page.locator('[data-saving=saved]').waitFor()

  await page.getByRole('link', { name: 'Preview' }).click()
  await page.frameLocator('iframe').getByText('Hi Ada, what about lunch?').waitFor()
}

async function launch(page: Page) {
  await page.getByRole('button', { name: 'Launch' }).click()
  await page.getByText('Everything it needs is there').waitFor()
  await page.getByText('1 lead gets mail').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Launch' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()
}

async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('CRM sync')
  await page.getByRole('radio', { name: 'Everything', exact: true }).check()
  await page.getByRole('button', { name: 'Create key' }).click()
  const key = await page.getByRole('textbox', { name: 'CRM sync' }).inputValue()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  return key
}

/** Without a program to receive what it sends. */
async function createWebhook(page: Page) {
  await page.getByRole('button', { name: 'New webhook' }).first().click()
  await page.getByRole('button', { name: 'Use a try-out receiver' }).click()
  await expect.poll(() => page.getByLabel('Address').inputValue()).toMatch(/\/app\/try\//)
  await page.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('heading', { name: 'Try-out', exact: true }).waitFor()
}
