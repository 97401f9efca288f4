import { readFile } from 'node:fs/promises'
import type { Locator, Page, Route } from 'playwright-core'
import { afterAll, expect } from 'vitest'
import { startImapServer } from '../../../server/src/demo/mail-server/index.ts'
import { tellPages } from '../../../server/src/features/live/index.ts'
import { createWorkspace } from '../../../server/src/features/workspaces/index.ts'
import type { Browser as Visitor } from '../../../server/test/browser.ts'
import { addMails, createConversation } from '../../../server/test/conversations.ts'
import { createMember, createPerson, join } from '../../../server/test/people.ts'
import { enter } from '../application.ts'
import { allowFailures, expectFailures, installClock } from '../browser.ts'
import { createInboxWorld, type InboxWorld } from '../inbox-world.ts'
import { refusal } from '../refusal.ts'
import { signInAgain } from '../sign-in-again.ts'
import { test as base } from './fixture.ts'

const path = '/w/default/inbox'
let known: InboxWorld | undefined
afterAll(() => known?.[Symbol.asyncDispose]())

const test = base.extend<{ $test: { world: InboxWorld } }>({
  world: async ({ application }, use) => {
    known ??= await createInboxWorld(application)
    await use(known)
  },
})

const noAnswer = 'The database does not answer.'
const row = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(name) })
const answer = (page: Page) => page.getByRole('textbox', { name: 'Your answer' })

const paste = (page: Page, type: string, text: string) =>
  page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('${type}', ${JSON.stringify(text)})
    const options = { clipboardData, bubbles: true, cancelable: true }
    document.querySelector('[contenteditable]').dispatchEvent(new ClipboardEvent('paste', options))
  }`)

test('empty, loading and failed it says what is, and what to do', async ({ application, open }) => {
  const page = await open(application.visitor, path)
  await page.getByText('Nothing waits').waitFor()
  await page.getByRole('button', { name: 'Automatic' }).click()
  await page.getByText('No automatic replies').waitFor()
  await page.route('**/app/threads?**', () => new Promise(() => undefined))
  await page.reload()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  await page.unrouteAll()
  expectFailures(page, 'GET /app/threads 409')
  await page.route('**/app/threads?**', (route: Route) => route.fulfill(refusal(409, noAnswer)))
  await page.reload()
  await page.getByText(noAnswer).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No automatic replies').waitFor()

  // Of many mailboxes that could not be read one notice tells.
  const late = (address: string) => ({ id: address, address, mails: 0, error: 'It is late.' })
  const items = ['anna@x.example', 'bert@x.example', 'carl@x.example'].map(late)
  await page.route('**/app/mailboxes/sync', (route) => route.fulfill({ json: { items } }))
  await page.getByRole('button', { name: 'Read the mailboxes now' }).click()
  await page.getByText('anna@x.example and 2 other mailboxes could not be read').waitFor()
  expect(await page.getByText('It is late.').count()).toBe(1)
  // The name of a button that the mouse is on lies over the page.
  await page.mouse.move(0, 0)
  await page.getByRole('tooltip').waitFor({ state: 'detached' })
})

const hostile = `<html><head><meta http-equiv="refresh" content="0; url=https://evil.example/">
<style>@import "https://evil.example/b.css"</style><script>parent.hacked = 1; top.location = 'https://evil.example/'</script></head>
<body onload="parent.hacked = 1"><h1>A real offer</h1><p style="background:url(https://evil.example/d.png)">Text</p>
<img src="https://pixel.example/open.gif" width="40" height="300" onerror="parent.hacked = 1">
<form action="https://evil.example/"><button>Send</button></form><iframe src="https://evil.example/"></iframe>
<a href="javascript:parent.hacked = 1">bad</a><svg onload="parent.hacked = 1"></svg></body></html>`

test('in a hostile mail nothing runs, nothing is loaded and nothing leaves; images come when asked for', async ({
  open,
  application,
  world,
}) => {
  const { id } = await world.converse(
    { email: 'mallory@lead.example', first_name: '<img src=x onerror=alert(1)>' },
    { subject: '<script>alert(1)</script>', text: 'A real offer', html: hostile },
  )
  const page = await open(application.visitor, path)
  const outside: string[] = []
  await page.route(/^https?:\/\/[^/]*\.example\//, (route) => {
    outside.push(route.request().url())
    return route.fulfill({ contentType: 'image/gif', body: Buffer.from(gif, 'base64') })
  })
  await page.goto(`${application.address}${path}?thread=${id}`)
  const frame = page.frameLocator('iframe[title="Mail"]')
  await frame.getByRole('heading', { name: 'A real offer' }).waitFor()
  const height = async () => (await page.locator('iframe[title="Mail"]').boundingBox())?.height ?? 0
  // What the mail needs, without a bar of its own.
  await expect.poll(height).not.toBe(120)
  expect(await frame.locator('form, script, iframe, svg').count()).toBe(0)
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  expect(outside).toEqual([])
  expect(page.url()).toContain(path)

  const before = await height()
  await page.getByRole('button', { name: 'Show images' }).click()
  await expect.poll(() => outside).toEqual(['https://pixel.example/open.gif'])
  await expect.poll(height).not.toBe(before)
  expect(await page.evaluate('window.hacked')).toBeUndefined()
  // The clock of other tests is a script, which its frame would refuse.
  await application.asOwner('POST', '/app/threads/done', { ids: [id], done: true })
})

test('a file that is attached is fetched from the mailbox by a key, and why it cannot be is told beside it', async ({
  application: { api, asOwner, visitor },
  open,
  world,
}) => {
  const content = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 256))
  const name = `Übersicht ${'sehr '.repeat(30)}lang.pdf`
  const attachments = [
    { name: 'other.png', type: 'image/png', bytes: 1 },
    { name, type: 'application/pdf', bytes: content.length },
  ]
  const { id, messageId } = await world.converse(
    { email: 'paul@lead.example' },
    { details: { attachments } },
  )
  const encoded = Buffer.from(name).toString('base64')
  const source = [
    ...['From: paul@lead.example', `Message-ID: <${messageId}@lead.example>`],
    ...['Content-Type: multipart/mixed; boundary=B', '', '--B', 'Content-Type: image/png', '', ''],
    ...['--B', `Content-Type: application/pdf; name="=?utf-8?B?${encoded}?="`],
    ...['Content-Transfer-Encoding: base64', '', content.toString('base64'), '--B--', ''],
  ]
  const { store } = world.outbox
  const account = store.find(world.mailboxAddress)
  if (!account) throw new Error('There is no such account.')
  store.file(account, Buffer.from(source.join('\r\n')))
  await using imap = await startImapServer(store)

  const page = await open(visitor, `${path}?thread=${id}`)
  await page.setViewportSize({ width: 390, height: 800 })
  const file = page.getByRole('button', { name: /Übersicht/ })
  await file.waitFor()
  const files = page.getByRole('list', { name: 'Attached files' }).getByRole('button')
  expect(await files.count()).toBe(2)
  expectFailures(page, 'GET /app/messages/:id/attachments/1 503')
  await file.press('Enter')
  await page.getByRole('alert').getByText('takes no connection').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)

  const mailbox = api.ctx.database.peek.selectFrom('mailboxes').select('id')
  const { id: mailboxId } = await mailbox
    .where('address', '=', world.mailboxAddress)
    .executeTakeFirstOrThrow()
  const login = { host: '127.0.0.1', port: imap.port, security: 'none' }
  const { password } = account
  await asOwner('PATCH', `/app/mailboxes/${mailboxId}`, {
    imap: { ...login, username: world.mailboxAddress, password },
  })
  const { promise: asked, resolve: goOn } = Promise.withResolvers<() => Promise<void>>()
  await page.route('**/attachments/1', (route) => goOn(() => route.continue()))
  const saved = page.waitForEvent('download')
  await file.press('Enter')
  const answerNow = await asked
  await page.getByRole('button', { name: /Übersicht .* is being fetched/ }).waitFor()
  expect(await file.getAttribute('aria-busy')).toBe('true')
  await answerNow()
  const download = await saved
  expect(download.suggestedFilename()).toBe(name)
  expect(await readFile(await download.path())).toEqual(content)
  await page.getByRole('button', { name: `Download ${name}` }).waitFor()
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.evaluate('document.activeElement.textContent')).toBe(name)
})

test('how many images of a mail cannot be had by https is told, and none looks broken', async ({
  open,
  application,
  world,
}) => {
  const { id } = await world.converse(
    { email: 'http@lead.example' },
    {
      ...{ subject: 'Plain', text: 'Look' },
      html: '<p>Look</p><img alt="Logo" src="http://plain.example/logo.gif"><img alt="Face" src="http://both.example/face.gif">',
    },
  )
  const page = await open(application.visitor, path)
  await page.route('https://plain.example/**', (route) => route.abort())
  await page.route('https://both.example/**', (route) =>
    route.fulfill({ contentType: 'image/gif', body: Buffer.from(gif, 'base64') }),
  )
  expectFailures(page, 'GET /logo.gif lost')
  await page.goto(`${application.address}${path}?thread=${id}`)
  await page.getByRole('button', { name: 'Show images' }).click()
  await page.getByText('1 image could not be loaded').waitFor()
  const mail = page.frameLocator('iframe[title="Mail"]')
  expect(await mail.getByAltText('Logo').getAttribute('src')).toBeNull()
  // Over the browser's sign for a broken one.
  const before = "getComputedStyle(document.querySelector('img'), '::before').content"
  expect(await page.frames().at(-1)?.evaluate(before)).toBe('"Logo"')
  expect(await mail.getByAltText('Face').getAttribute('src')).toBe('https://both.example/face.gif')
  await application.asOwner('POST', '/app/threads/done', { ids: [id], done: true })
})

const gif = 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

test('a reply is found, labelled, answered, undone and answered again without the mouse', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse(
    { email: 'ada@lead.example', first_name: 'Ada', company_name: 'Analytical Engines' },
    { text: 'Sounds good.\n\nOn Monday Anna wrote:\n> Hello\n> there' },
  )
  const page = await open(application.visitor, '/w/default/settings/keys')
  await page.getByRole('heading', { name: 'OAuth service accounts' }).waitFor()
  await installClock(page)
  await page.keyboard.press('g')
  await page.keyboard.press('i')
  await row(page, 'Ada').waitFor()
  await page.keyboard.press('j')
  await page.getByText('Sounds good.', { exact: true }).waitFor()
  expect(page.url()).toContain(id)
  expect(await page.getByRole('article').getByText('> there').count()).toBe(0)
  await page.keyboard.press('1')
  await page.getByText('Now: Interested.').waitFor()
  // Labels of the workspace's own follow the five that keys always set; the menu says which key.
  const called = 'Call back <b>later</b>'
  await application.asOwner('POST', '/app/labels', { name: called, sentiment: 'positive' })
  await page.getByRole('button', { name: 'Label: Interested' }).click()
  await page.getByRole('menuitem', { name: called }).getByText('6').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'detached' })
  await page.keyboard.press('6')
  await page.getByText(`Now: ${called}.`).waitFor()
  await row(page, 'Ada').getByText(called).waitFor()
  await page.getByRole('button', { name: `Label: ${called}` }).click()
  await page.getByRole('menuitem', { name: 'Interested', exact: true }).click()
  // What was said of the first time may still be there.
  await page.getByRole('button', { name: 'Label: Interested' }).waitFor()

  await page.keyboard.press('r')
  await answer(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('Gladly, ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('on Tuesday?')
  await page.keyboard.press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await page.keyboard.press('z')
  await expect.poll(() => answer(page).textContent()).toBe('Gladly, on Tuesday?')
  await page.clock.fastForward(20_000)
  const ofLead = () =>
    api.ctx.database.peek
      .selectFrom('sends')
      .select('reply')
      .where('lead_id', '=', id)
      .where('kind', '=', 'manual')
      .execute()
  const texts = async () => JSON.stringify(await ofLead())
  expect(await texts()).not.toContain('on Tuesday')
  expect(world.outbox.mails).toEqual([])

  await page.keyboard.press('r')
  await answer(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await page.clock.fastForward(8000)
  const mails = await world.outbox.waitFor(1)
  expect(mails[0]).toMatchObject({ from: world.mailboxAddress, to: 'ada@lead.example' })
  const source = mails[0]?.source.toString()
  expect(source).toContain('Gladly, on Tuesday?')
  expect(source).toMatch(/<p>Gladly,.*<strong>.*on Tuesday\?<\/strong><\/p>/)
  await page.getByRole('button', { name: /Ann Example, anna@example.com/ }).waitFor()
  await expect
    .poll(() =>
      page.evaluate(
        'localStorage.length && Object.keys(localStorage).filter((key) => key.includes("draft")).length',
      ),
    )
    .toBe(0)
  await page.keyboard.press('e')
  await page.getByText('Marked as done.').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('Mark as unread').waitFor()
  await page.getByRole('dialog').getByText('Ctrl ⏎').waitFor()
})

test('by keys a conversation is put off, and the list is searched', async ({
  application,
  open,
  world,
}) => {
  await world.converse({ email: 'lia@later.example', first_name: 'Later Lia' })
  const page = await open(application.visitor, path)
  await row(page, 'Later Lia').click()
  await page.getByRole('article').waitFor()
  await page.keyboard.press('s')
  await page.getByRole('menuitem', { name: 'Until tomorrow' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await row(page, 'Later Lia').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('s/')
  expect(await page.getByRole('searchbox').inputValue()).toBe('s/')
})

test('z takes back what was done last, wherever it was, and a notice takes back what it names', async ({
  application,
  open,
  world,
}) => {
  const { peek } = application.api.ctx.database
  await world.converse({ email: 'ida@undo.example', first_name: 'Undine Ida' })
  const other = await world.converse({ email: 'eva@undo.example', first_name: 'Undine Eva' })
  const { id } = await world.converse({ email: 'uta@undo.example', first_name: 'Undine Uta' })
  const page = await open(application.visitor, `${path}?search=undine&thread=${id}`)
  await row(page, 'Undine Ida').waitFor()
  await answer(page).fill('Sent all the same')
  await installClock(page)
  const before = world.outbox.mails.length
  await answer(page).press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await page.keyboard.press('e')
  await page.getByText('Marked as done.').waitFor()
  await expect.poll(() => page.url()).not.toContain(id)
  // Held down for too long it is pressed once.
  await page.keyboard.down('z')
  await page.keyboard.down('z')
  await page.keyboard.up('z')
  await expect.poll(() => page.url()).toContain(id)
  await page.getByRole('button', { name: 'Done', exact: true }).last().waitFor()
  await page.clock.fastForward(8000)
  const mails = await world.outbox.waitFor(before + 1)
  expect(mails.slice(before)).toMatchObject([{ to: 'uta@undo.example' }])

  // Of two answers the one in the conversation that was left is taken back where it can be seen.
  await row(page, 'Undine Ida').click()
  await answer(page).fill('Not sent')
  await answer(page).press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await row(page, 'Undine Eva').click()
  await page.getByText('Sent in').waitFor({ state: 'detached' })
  await page.keyboard.press('z')
  await expect.poll(() => answer(page).textContent()).toBe('Not sent')

  await row(page, 'Undine Eva').click()
  await expect.poll(() => page.url()).toContain(other.id)
  await page.getByRole('button', { name: /^Label: / }).waitFor()
  await page.keyboard.press('1')
  await page.getByText('Now: Interested.').waitFor()
  await page.keyboard.press('e')
  const done = page.getByRole('alert').filter({ hasText: 'Marked as done.' })
  await done.waitFor()
  const labelled = page.getByRole('alert').filter({ hasText: 'Now: Interested.' })
  await labelled.getByRole('button', { name: 'Undo' }).click()
  const statusOf = async () => {
    const lead = peek.selectFrom('leads').select('status').where('id', '=', other.id)
    return (await lead.executeTakeFirstOrThrow()).status
  }
  await expect.poll(statusOf).not.toBe('interested')
  await done.waitFor()
  const { timestamp_done } = await peek
    .selectFrom('threads')
    .select('timestamp_done')
    .where('id', '=', other.id)
    .executeTakeFirstOrThrow()
  expect(timestamp_done).not.toBeNull()
})

test('a notice covers nothing of the page, and no older undo stands beside an answer that is being sent', async ({
  application,
  open,
  world,
}) => {
  const { id } = await world.converse({ email: 'kim@undo.example', first_name: 'Kim' })
  const page = await open(application.visitor, `${path}?thread=${id}`)
  await page.getByRole('button', { name: /^Label: / }).waitFor()
  await page.keyboard.press('1')
  const notice = page.getByRole('alert').filter({ hasText: 'Now: Interested.' })
  // Under the mouse it stays.
  await notice.hover()
  const boxOf = async (name: string) => {
    const box = await (name === 'main' ? page.locator('main') : notice).boundingBox()
    if (!box) throw new Error(`${name} is not shown`)
    return box
  }
  // Beside the page, and above it on a telephone.
  await expect
    .poll(async () => (await boxOf('notice')).x + (await boxOf('notice')).width)
    .toBeLessThanOrEqual((await boxOf('main')).x)
  await page.setViewportSize({ width: 360, height: 720 })
  await notice.hover()
  await expect
    .poll(async () => (await boxOf('notice')).y + (await boxOf('notice')).height)
    .toBeLessThanOrEqual((await boxOf('main')).y)
  await page.setViewportSize({ width: 1280, height: 720 })
  await notice.hover()
  await answer(page).fill('Not sent')
  await answer(page).press('Control+Enter')
  await page.getByText('Sent in').waitFor()
  await notice.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo z' }).click()
  await expect.poll(() => answer(page).textContent()).toBe('Not sent')
})

test('to a viewer the label of a lead is as wide as its word', async ({
  application,
  open,
  world,
}) => {
  const { api, asOwner } = application
  const { id } = await world.converse({ email: 'lea@label.example', first_name: 'Lea' })
  const labelled = { action: 'set_status', status: 'interested', ids: [id] }
  expect((await asOwner('POST', '/app/leads/bulk', labelled)).status).toBeLessThan(300)
  const viewer = await createMember(api, 'viewer@team.example', 'viewer')
  const page = await open(viewer.browser, `${path}?thread=${id}`)
  const label = page
    .getByRole('complementary', { name: 'Lead', exact: true })
    .getByText('Interested')
  await label.waitFor()
  expect((await label.boundingBox())?.width).toBeLessThan(120)
})

test('a conversation is found by words of its mails, and its row shows them marked', async ({
  application,
  open,
  world,
}) => {
  const quiet = 'Thank you for the mail. I have read it and passed it on. '
  await world.converse(
    { email: 'rosa@lead.example', first_name: 'Rosa' },
    { text: `${quiet.repeat(3)}The <b>Getriebe</b> of the Förderanlage is broken.` },
  )
  await world.converse({ email: 'hugo@lead.example', first_name: 'Hugo' }, { text: quiet })
  const page = await open(application.visitor, path)
  await row(page, 'Hugo').waitFor()
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('getriebe forder')
  await row(page, 'Hugo').waitFor({ state: 'detached' })
  const marks = row(page, 'Rosa').locator('mark')
  await expect.poll(() => marks.allTextContents()).toEqual(['Getriebe', 'Förderanlage'])
  await row(page, 'Rosa').getByText('The <b>Getriebe</b> of the Förderanlage is broken.').waitFor()
  expect(page.url()).toContain('search=')
  await page.getByRole('searchbox').fill('getriebe nobody')
  await page.getByRole('button', { name: 'Reset filters' }).click()
  await row(page, 'Hugo').waitFor()
  expect(await page.locator('mark').count()).toBe(0)
  await page.getByRole('searchbox').fill('getrie')
  await marks.first().waitFor()
})

/** What is marked in a mail, of the page itself or of the frame at this place. */
const marksIn = (page: Page, frame?: number): Promise<string[]> =>
  page.evaluate(`[...(${frame === undefined ? 'globalThis' : `frames[${frame}]`}
    .CSS.highlights.get('found') ?? [])].map((range) => range.toString())`)

test('what was searched for is marked in the mails of a conversation, and links and words stay whole', async ({
  application,
  open,
  world,
}) => {
  const text = 'The Kupplung of the Förderband is worn, see our shop.'
  const dark = 'background:#1a1d23;color:#eee'
  await world.converse(
    { email: 'vera@lead.example', first_name: 'Vera' },
    {
      ...{ subject: 'Re: Kupplung', text },
      html: `<table><tr><td style="${dark}">The <b>Kupp</b>lung of the F&ouml;rderband is worn</td>
        <td>Kupplungen</td></tr></table>
        <p>See <a href="https://shop.example/kupplung?a=1&amp;b=2">our Kupplung shop</a><br>Kupp<br>lung</p>`,
    },
  )
  await world.converse(
    { email: 'emil@lead.example', first_name: 'Emil' },
    { text: 'No Kupplung here.\n\nOn Monday Anna wrote:\n> A new kupplung?' },
  )
  const page = await open(application.visitor, `${path}?search=kupplung+forder`)
  await row(page, 'Vera').click()
  const mail = page.frameLocator('iframe[title="Mail"]')
  await mail.getByText('is worn').waitFor()
  await expect.poll(() => marksIn(page, 0)).toEqual(['Kupplung', 'Förderband', 'Kupplung'])
  expect(await marksIn(page)).toEqual(['Kupplung'])
  const link = mail.getByRole('link', { name: 'our Kupplung shop' })
  expect(await link.getAttribute('href')).toBe('https://shop.example/kupplung?a=1&b=2')
  const html = await mail.locator('td').first().innerHTML()
  expect(html).toBe('The <b>Kupp</b>lung of the Förderband is worn')

  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('kupplung')
  await row(page, 'Emil').click()
  // Quoted, and else folded away.
  await page.getByRole('paragraph').filter({ hasText: '> A new kupplung?' }).waitFor()
  await expect.poll(() => marksIn(page)).toEqual(['Kupplung', 'kupplung'])
  await page.getByRole('button', { name: 'Clear the search' }).click()
  await expect.poll(() => marksIn(page)).toEqual([])
})

test('a draft outlives a reload and a session that ends, and is sent once', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'grace@lead.example', first_name: 'Grace' })
  const person = await createMember(api, 'draft@team.example', 'member')
  const page = await open(person.browser, `${path}?thread=${id}`)
  await answer(page).fill('Half of an answer')
  await page.reload()
  await expect.poll(() => answer(page).textContent()).toBe('Half of an answer')
  await paste(page, 'text/plain', 'word '.repeat(200_000))
  await page.getByText('more than a mail can hold').waitFor()
  expect(await answer(page).textContent()).toBe('Half of an answer')
  // As Google Docs writes it, within a <b> that is not bold.
  const styled =
    '<span style="font-weight:700">Bold</span> <span style="font-weight:400">not</span>'
  await answer(page).press('Control+a')
  await paste(page, 'text/html', `<b style="font-weight:normal"><p>${styled}</p></b>`)
  expect(await answer(page).innerHTML()).toBe('<p><strong>Bold</strong> not</p>')
  await answer(page).fill('Half of an answer')

  const { peek } = api.ctx.database
  await installClock(page)
  await page.getByRole('button', { name: 'Send' }).click()
  await peek.deleteFrom('user_sessions').where('user_id', '=', person.id).execute()
  await page.clock.fastForward(8000)
  await signInAgain(page)
  expect(await answer(page).textContent()).toBe('Half of an answer')
  const before = world.outbox.mails.length
  await page.getByRole('button', { name: 'Send' }).click()
  await page.clock.fastForward(8000)
  await world.outbox.waitFor(before + 1)
  const written = async () => (await answer(page).textContent())?.trim()
  await expect.poll(written).toBe('')
  expect(world.outbox.mails).toHaveLength(before + 1)

  // What the server says of the next one gets lost, and the conversation still tells that it was sent.
  await answer(page).fill('Sent, and nobody said so')
  expectFailures(page, / 401$/)
  // The page is read anew before it may know.
  allowFailures(page, 'POST /app/threads/:id/reply lost')
  await page.route('**/app/threads/*/reply', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Send' }).click()
  await page.clock.fastForward(8000)
  await world.outbox.waitFor(before + 2)
  await page.reload()
  const last = page.frameLocator('iframe[title="Mail"]').last()
  await last.getByText('Sent, and nobody said so').waitFor()
  await expect.poll(written).toBe('')
})

test('whoever has gone on is told of an answer that was not sent, and signing out asks about one that waits', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  await world.converse({ email: 'olga@lead.example', first_name: 'Otter Olga' })
  const { id } = await world.converse({ email: 'olaf@lead.example', first_name: 'Otter Olaf' })
  const person = await createMember(api, 'unsent@team.example', 'member')
  const page = await open(person.browser, `${path}?search=otter&thread=${id}`)
  await answer(page).fill('On its way')
  await installClock(page)
  const before = world.outbox.mails.length
  const send = async () => {
    await answer(page).press('Control+Enter')
    await page.getByText('Sent in 8 s').waitFor()
  }
  expectFailures(page, 'POST /app/threads/:id/reply 409')
  const answers = [
    refusal(409, noAnswer),
    { json: { state: 'failed', error_message: 'The mailbox is paused.' } },
  ]
  await page.route('**/app/threads/*/reply', (route) => route.fulfill(answers.shift() ?? {}))
  for (const reason of [noAnswer, 'The mailbox is paused.']) {
    await send()
    await row(page, 'Olga').click()
    await expect.poll(() => page.url()).not.toContain(id)
    await page.clock.fastForward(8000)
    const notice = page.getByRole('alert').filter({ hasText: 'olaf@lead.example was not sent' })
    await notice.getByText(reason).waitFor()
    await page.clock.fastForward(60_000)
    if (reason === noAnswer) {
      // Sent again from the list, it is as if nothing had been said of it.
      await row(page, 'Olaf').click()
      await expect.poll(() => answer(page).textContent()).toBe('On its way')
      await send()
      await notice.waitFor({ state: 'detached' })
      await page.keyboard.press('z')
      continue
    }
    await notice.getByRole('button', { name: 'Show it' }).click()
    await expect.poll(() => answer(page).textContent()).toBe('On its way')
    await notice.waitFor({ state: 'detached' })
  }
  await page.unrouteAll()

  const signOut = async () => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  const asking = page.getByRole('dialog', { name: 'Sign out now?' })
  await send()
  await signOut()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  // What is typed in another tab before it has left is not taken away with it.
  const other = await page.context().newPage()
  await other.goto(page.url())
  await answer(other).fill('And one more thing')
  await page.clock.fastForward(8000)
  const mails = await world.outbox.waitFor(before + 1)
  expect(mails.slice(before)).toMatchObject([{ to: 'olaf@lead.example' }])
  await expect.poll(() => answer(page).textContent()).toBe('And one more thing')
  expect(await answer(other).textContent()).toBe('And one more thing')
  await other.close()
  // Whose result got lost, and which was sent after all, is told of no more.
  allowFailures(page, 'POST /app/threads/:id/reply lost')
  await page.route('**/app/threads/*/reply', async (route) => {
    await route.fetch()
    await route.abort()
  })
  await send()
  await row(page, 'Olga').click()
  await expect.poll(() => page.url()).not.toContain(id)
  await page.clock.fastForward(8000)
  const lost = page.getByRole('alert').filter({ hasText: 'olaf@lead.example was not sent' })
  await lost.waitFor()
  await page.unrouteAll()
  await row(page, 'Olaf').click()
  await lost.waitFor({ state: 'detached' })
  await expect.poll(async () => (await answer(page).textContent())?.trim()).toBe('')
  await answer(page).fill('Stays here')
  await send()
  await signOut()
  // What the page was reading in this moment is refused.
  allowFailures(page, /^GET \/app\/.* 401$/)
  await asking.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
  expect(world.outbox.mails).toHaveLength(before + 2)
})

test('a conversation in which somebody else answered says who, and for whom', async ({
  application,
  open,
  world,
}) => {
  await world.converse({ email: 'zoe@for.example', first_name: 'Zoe' }, { from: 'max@for.example' })
  const report = { kind: 'bounce' as const, from: 'mailer-daemon@for.example' }
  await world.converse({ email: 'zac@for.example', first_name: 'Zac' }, report)
  const page = await open(application.visitor, `${path}?view=all`)
  await row(page, 'max@for.example, for Zoe').waitFor()
  await row(page, 'Zac').waitFor()
  expect(await page.getByText('mailer-daemon@for.example').count()).toBe(0)
})

test('undone from another page, a conversation waits again and calls nobody back into the inbox', async ({
  application,
  open,
  world,
}) => {
  const { id } = await world.converse({ email: 'away@lead.example', first_name: 'Awa' })
  const page = await open(application.visitor, `${path}?thread=${id}`)
  await page.getByRole('article').waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) /)
  const waiting = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0)
  const before = await waiting()
  await page.keyboard.press('e')
  await expect.poll(waiting).toBe(before - 1)
  await page.getByRole('link', { name: 'Campaigns' }).click()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  const undone = page.waitForResponse((response) => response.url().endsWith('/done'))
  const counted = undone.then(() => page.waitForResponse('**/threads/counts*'))
  await page.getByRole('button', { name: 'Undo' }).click()
  await (await counted).finished()
  await expect.poll(waiting).toBe(before)
  // Once it is counted it would go back, at the latest before the page is drawn again.
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
  expect(new URL(page.url()).pathname).toBe('/w/default/campaigns')
})

test('in another workspace nothing of the one before can be undone, nor is counted as waiting', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'left@lead.example', first_name: 'Lefty' })
  await world.converse({ email: 'waits@lead.example', first_name: 'Wait' })
  const person = await createPerson(api, { email: 'both@team.example' })
  const other = await createWorkspace(api.ctx, 'Northwind')
  for (const workspaceId of [api.workspaceId, other.id]) {
    await join(api, workspaceId, person, 'member')
  }
  const page = await open(person.browser, `${path}?thread=${id}`)
  await page.getByRole('article').waitFor()
  await page.keyboard.press('e')
  const undo = page.getByRole('alert').getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) /)
  await page.getByRole('button', { name: 'Workspace default' }).click()
  await page.getByRole('menuitem', { name: 'Northwind' }).click()
  await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor()
  await undo.waitFor({ state: 'detached' })
  await expect.poll(() => page.title()).toBe('Home · Outrider')
  expect(await page.getByRole('link', { name: /^Inbox/ }).textContent()).toBe('Inbox')
})

test('on a shared browser nobody sees or sends what another has begun to answer', async ({
  application,
  open,
  world,
}) => {
  const { api, address } = application
  const { id } = await world.converse({ email: 'shared@lead.example', first_name: 'Sharon' })
  const people = await Promise.all(
    ['first', 'second'].map(async (name) => {
      const person = await createMember(api, `${name}@shared.example`, 'member')
      return person.browser
    }),
  )
  const [first, second] = people as [Visitor, Visitor]
  const page = await open(first, `${path}?thread=${id}`)
  await answer(page).fill('What the first one thinks')
  const goOnAs = async (visitor: Visitor) => {
    // What is still being read would be refused.
    await page.getByRole('link', { name: 'Open the lead' }).waitFor()
    await page.context().clearCookies()
    await enter(page.context(), address, visitor)
    await page.reload()
  }
  await goOnAs(second)
  await answer(page).waitFor()
  expect(await answer(page).textContent()).toBe('')
  await goOnAs(first)
  await expect.poll(() => answer(page).textContent()).toBe('What the first one thinks')
})

test('of two people in one conversation each sees the other’s answer, and nobody answers twice', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'mary@lead.example', first_name: 'Mary' })
  const [bob, eve] = await Promise.all([
    createPerson(api, { email: 'bob@team.example' }),
    createPerson(api, { email: 'eve@team.example' }),
  ])
  await join(api, api.workspaceId, bob, 'member')
  await join(api, api.workspaceId, eve, 'member')
  const [first, second] = [
    await open(bob.browser, `${path}?thread=${id}`),
    await open(eve.browser, `${path}?thread=${id}`),
  ]
  await answer(first).waitFor()
  await answer(second).waitFor()
  // The second one is told of nothing, as if the stream were late.
  expectFailures(second, 'GET /app/threads/:id lost', 'POST /app/threads/:id/reply 409')
  await second.route('**/app/live**', (route) => route.abort())
  await second.route(`**/app/threads/${id}`, (route) => route.abort())
  await installClock(first)
  await installClock(second)
  await answer(second).fill('From Eve')
  await answer(first).fill('From Bob')
  const before = world.outbox.mails.length
  await first.getByRole('button', { name: 'Send' }).click()
  await first.clock.fastForward(8000)
  await world.outbox.waitFor(before + 1)
  await second.getByRole('button', { name: 'Send' }).click()
  await second.clock.fastForward(8000)
  await second.getByText('There is something new in this conversation').waitFor()
  await second.unrouteAll()
  await second.reload()
  await second.frameLocator('iframe[title="Mail"]').getByText('From Bob').waitFor()
  await expect.poll(() => answer(second).textContent()).toBe('From Eve')
  expect(world.outbox.mails).toHaveLength(before + 1)
})

test('what comes in while somebody answers is told at once, and looked at before the answer is sent', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'ada@news.example', first_name: 'Ada' })
  const [sam, mel] = await Promise.all([
    createMember(api, 'sam@news.example', 'member'),
    createMember(api, 'mel@news.example', 'member'),
  ])
  const hers = await open(mel.browser, `${path}?thread=${id}`)
  await answer(hers).fill('From Mel')
  const his = await open(sam.browser, `${path}?thread=${id}`)
  await installClock(his)
  await answer(his).fill('From Sam')
  const before = world.outbox.mails.length
  await answer(his).press('Control+Enter')
  await his.clock.fastForward(8000)
  await world.outbox.waitFor(before + 1)
  const news = hers.getByRole('status').filter({ hasText: 'meanwhile' })
  await news.getByText('has answered meanwhile').waitFor()
  // What was begun before stays so over a reload and over more that is typed.
  await hers.reload()
  await installClock(hers)
  await news.waitFor()
  await answer(hers).pressSequentially('! ')
  await answer(hers).press('Control+Enter')
  const look = news.getByRole('button', { name: 'Look at it' })
  await expect.poll(() => hers.locator('button:focus').textContent()).toBe('Look at it')
  expect(await hers.getByText('Sent in').count()).toBe(0)

  await createConversation(api, api.workspaceId, world.campaignId, {
    ...{ email: 'ada@news.example', text: 'And one more thing.' },
  })
  await news.getByText('ada@news.example has written meanwhile').waitFor()
  await look.click()
  await news.waitFor({ state: 'detached' })
  await answer(hers).press('Control+Enter')
  await hers.getByText('Sent in').waitFor()
  await hers.clock.fastForward(8000)
  const mails = await world.outbox.waitFor(before + 2)
  expect(mails.at(-1)?.source.toString()).toContain('! From Mel')
})

test('a conversation opens at the mail that is to be answered, and stays where its reader moves it', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const lead = { email: 'tall@lead.example' }
  const { id } = await world.converse(lead)
  await addMails(api.ctx, api.workspaceId, id, 60)
  const writeAgain = (text: string) =>
    createConversation(api, api.workspaceId, world.campaignId, {
      ...{ ...lead, text, html: `<h1>${text}</h1>${'<p>A line</p>'.repeat(60)}` },
    })
  await writeAgain('The newest')
  const page = await open(application.visitor, `${path}?thread=${id}`)
  const newest = page.frameLocator('iframe[title="Mail"]').getByText('The newest')
  await newest.waitFor()
  const frame = page.getByRole('article').locator('div:has(> section)')
  const belowTop = async (mail: Locator) =>
    Math.round(((await mail.boundingBox())?.y ?? 0) - ((await frame.boundingBox())?.y ?? 0))
  const last = frame.locator('section').last()
  await expect.poll(async () => (await last.boundingBox())?.height ?? 0).toBeGreaterThan(900)
  await expect.poll(() => belowTop(last)).toBeLessThan(20)

  await frame.hover()
  await page.mouse.wheel(0, -300)
  await expect.poll(() => belowTop(last)).toBeGreaterThan(200)
  const moved = await belowTop(last)
  await writeAgain('Newer still')
  await page.frameLocator('iframe[title="Mail"]').last().getByText('Newer still').waitFor()
  expect(await belowTop(frame.locator('section:nth-last-of-type(2)'))).toBe(moved)

  const older = page.getByRole('button', { name: 'Show older mails' })
  await older.scrollIntoViewIfNeeded()
  const text = /Mail \d+$/.exec((await frame.locator('section').first().textContent()) ?? '')?.[0]
  const oldest = frame.locator('section').filter({ hasText: new RegExp(`${text}$`) })
  const at = await belowTop(oldest)
  await older.click()
  await expect.poll(() => frame.locator('section').count()).toBeGreaterThan(40)
  expect(await belowTop(oldest)).toBe(at)

  // At a zoom of 200 % nothing has a bar of its own: the mail has the whole column.
  await page.setViewportSize({ width: 720, height: 450 })
  await page.reload()
  await page.frameLocator('iframe[title="Mail"]').getByText('Newer still').waitFor()
  await page.getByRole('complementary', { name: 'Lead' }).waitFor()
  await expect.poll(() => belowTop(last)).toBeGreaterThan(900)
  const shell = (await page.getByRole('banner').boundingBox())?.height ?? 0
  const head = page.getByRole('article').locator('> header')
  const headAt = async () => (await head.boundingBox()) ?? { y: 0, height: 0 }
  const belowHead = async () =>
    ((await last.boundingBox())?.y ?? 0) - shell - (await headAt()).height
  await expect.poll(belowHead).toBeLessThan(20)
  expect(await belowHead()).toBeGreaterThanOrEqual(0)
  expect(Math.round((await headAt()).y)).toBe(Math.round(shell))
  const inOneBar = `document.querySelector('article').parentElement.scrollTop > 1000`
  expect(await page.evaluate(inOneBar)).toBe(true)
  const folded = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('article + aside'))`
  expect(await page.evaluate(folded)).toBe(0)
  const form = await page.locator('form', { has: answer(page) }).boundingBox()
  const mail = await last.boundingBox()
  expect(form?.y).toBeGreaterThanOrEqual((mail?.y ?? 0) + (mail?.height ?? 0))
  await older.scrollIntoViewIfNeeded()
  const keptAt = Math.round((await oldest.boundingBox())?.y ?? 0)
  await older.click()
  await expect.poll(() => frame.locator('section').count()).toBeGreaterThan(40)
  expect(Math.round((await oldest.boundingBox())?.y ?? 0)).toBe(keptAt)
})

test('a conversation that is opened again opens at what came in meanwhile', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const lead = { email: 'again@lead.example', first_name: 'Again' }
  const tall = (text: string) => ({ text, html: `<h1>${text}</h1>${'<p>A line</p>'.repeat(60)}` })
  const { id } = await world.converse(lead, tall('First'))
  await world.converse({ email: 'aside@lead.example', first_name: 'Aside' }, { text: 'Beside' })
  const page = await open(application.visitor, `${path}?view=all&thread=${id}`)
  const mail = (text: string) => page.frameLocator('iframe[title="Mail"]').last().getByText(text)
  await mail('First').waitFor()
  await row(page, 'Aside').click()
  await page.getByRole('article').getByText('Beside', { exact: true }).waitFor()
  await createConversation(api, api.workspaceId, world.campaignId, { ...lead, ...tall('Second') })
  await row(page, 'Again').filter({ hasText: 'Second' }).waitFor()
  // What is kept of it is seen before the answer to what is asked again.
  const isSeen = Promise.withResolvers<void>()
  await page.route(`**/app/threads/${id}`, async (route) => {
    await isSeen.promise
    await route.continue()
  })
  await row(page, 'Again').click()
  await mail('First').waitFor()
  isSeen.resolve()
  await mail('Second').waitFor()
  const last = page.getByRole('article').locator('section').last()
  const frame = page.getByRole('article').locator('div:has(> section)')
  const top = async (each: Locator) => (await each.boundingBox())?.y ?? 0
  await expect.poll(async () => Math.abs((await top(last)) - (await top(frame)))).toBeLessThan(20)
})

test('a search that finds nothing in its view says so, and leads to all', async ({
  application,
  open,
  world,
}) => {
  const { id } = await world.converse({ email: 'finn@lead.example', first_name: 'Finnegan' })
  await application.asOwner('POST', '/app/threads/done', { ids: [id], done: true })
  const page = await open(application.visitor, `${path}?search=finnegan`)
  await page.getByText('Only what stands under “Waiting” was looked through').waitFor()
  await page.getByRole('button', { name: 'Search in All' }).click()
  await row(page, 'Finnegan').waitFor()
})

test('whoever has left the workspace is told so, and shown what they were writing and nothing else', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'leftina@lead.example', first_name: 'Leftina' })
  const person = await createMember(api, 'leaver@team.example', 'member')
  const page = await open(person.browser, `${path}?thread=${id}`)
  const idle = await open(person.browser, `${path}?thread=${id}`)
  await answer(idle).waitFor()
  await answer(page).fill('Half written')
  await row(page, 'Leftina').waitFor()
  await page.getByRole('link', { name: 'Open the lead' }).waitFor()
  expectFailures(page, / 403$/)
  expectFailures(idle, / 403$/)
  await application.asOwner('DELETE', `/app/members/${person.id}`)
  tellPages(api.ctx, api.workspaceId, ['inbox'])
  await page.getByText('You are not a member of this workspace: choose another.').first().waitFor()
  await row(page, 'Leftina').waitFor({ state: 'detached' })
  await expect.poll(() => page.getByText('leftina@lead.example', { exact: true }).count()).toBe(0)
  expect(await answer(page).inputValue()).toBe('Half written')
  expect(await answer(page).isEditable()).toBe(false)
  expect(await page.getByRole('button', { name: 'Send' }).count()).toBe(0)
  expect(await page.getByText('leftina@lead.example').count()).toBe(0)
  await page.setViewportSize({ width: 720, height: 900 })
  await page.getByRole('button', { name: 'Back to the list' }).waitFor()
  await page.getByText('You are no longer a member of default').waitFor()
  await idle.getByText('You are not a member of this workspace: choose another.').first().waitFor()
  await answer(idle).waitFor({ state: 'detached' })
})

test('what comes in at the moment in which a conversation is put away keeps it there', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse({ email: 'rosa@lead.example', first_name: 'Rosa' })
  const page = await open(application.visitor, `${path}?thread=${id}`)
  await answer(page).waitFor()
  // The page is told of nothing, as if the stream were late.
  allowFailures(page, 'GET /app/threads/:id lost')
  expectFailures(page, 'POST /app/threads/done 409')
  await page.route('**/app/live**', (route) => route.abort())
  await page.route(`**/app/threads/${id}`, (route) => route.abort())
  const late = { email: 'rosa@lead.example', text: 'Call me today!' }
  await createConversation(api, api.workspaceId, world.campaignId, late)
  await page.keyboard.press('e')
  await page.getByText('Something has just come in here').waitFor()
  await page.unrouteAll()
  await page.reload()
  await row(page, 'Call me today!').waitFor()
  await page.getByRole('article').getByRole('button', { name: 'Done' }).waitFor()
})

test('a mailbox that is paused while somebody answers takes no text away, and no key is taken for the inbox', async ({
  application,
  open,
  world,
}) => {
  const { api, asOwner } = application
  const { peek } = api.ctx.database
  const { id } = await world.converse({ email: 'mary@lead.example', first_name: 'Mary' })
  const thread = async () => (await asOwner('GET', `/app/threads/${id}`)).body
  const mailbox = peek
    .selectFrom('mailboxes')
    .select('id')
    .where('address', '=', world.mailboxAddress)
  const { id: mailboxId } = await mailbox.executeTakeFirstOrThrow()
  const turn = async (verb: 'pause' | 'resume') =>
    expect((await asOwner('POST', `/app/mailboxes/${mailboxId}/${verb}`)).status).toBe(200)
  const page = await open(application.visitor, `${path}?thread=${id}`)
  const send = page.getByRole('button', { name: 'Send' })
  await answer(page).fill('We meet at')
  const { lead_status, timestamp_done } = await thread()
  await turn('pause')
  const why = page.getByText('The mailbox of this conversation is paused')
  await why.waitFor()
  await page.keyboard.type(' 1e')
  await expect.poll(() => answer(page).textContent()).toBe('We meet at 1e')
  expect(await send.isDisabled()).toBe(true)
  // Nor once all of it is taken back, to begin anew.
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('1e')
  await expect.poll(() => answer(page).textContent()).toBe('1e')
  expect(await thread()).toMatchObject({ lead_status, timestamp_done })
  await turn('resume')
  await why.waitFor({ state: 'detached' })
  expect(await send.isEnabled()).toBe(true)
  expect(await answer(page).textContent()).toBe('1e')

  // Where nothing was begun there is only the reason.
  await answer(page).press('Control+a')
  await page.keyboard.press('Backspace')
  await expect.poll(() => send.isDisabled()).toBe(true)
  await turn('pause')
  await page.reload()
  await why.waitFor()
  expect(await answer(page).count()).toBe(0)
  await turn('resume')
  await answer(page).waitFor()
})

test('an unsubscribe says what it does before it is done, and what is snoozed comes back by an undo', async ({
  application,
  open,
  world,
}) => {
  const { api } = application
  const { id } = await world.converse(
    { email: 'edith@lead.example', first_name: 'Edith' },
    { suggestion: 'unsubscribed', text: 'Please stop writing to me.' },
  )
  const page = await open(application.visitor, `${path}?thread=${id}`)
  // At a time of the reader's own clock, which the page names the zone of.
  await page.getByRole('button', { name: 'Snooze', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Choose date and time' }).click()
  const dialog = page.getByRole('dialog', { name: 'Snooze until' })
  await dialog.getByText(new Intl.DateTimeFormat().resolvedOptions().timeZone).waitFor()
  const time = dialog.getByLabel('Date and time')
  await time.fill('2001-01-01T09:00')
  await dialog.getByText('Choose a time within the next year.').waitFor()
  const until = new Date(Date.now() + 40 * 86_400_000)
  until.setSeconds(0, 0)
  const twoDigits = (number: number) => String(number).padStart(2, '0')
  const day = [until.getFullYear(), until.getMonth() + 1, until.getDate()].map(twoDigits).join('-')
  await time.fill(`${day}T${[until.getHours(), until.getMinutes()].map(twoDigits).join(':')}`)
  await dialog.getByRole('button', { name: 'Snooze' }).click()
  await row(page, 'Edith').waitFor({ state: 'detached' })
  const { snoozed_until } = await api.ctx.database.peek
    .selectFrom('threads')
    .select('snoozed_until')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(snoozed_until).toEqual(until)
  await page.getByText('Snoozed.').waitFor()
  await page.keyboard.press('z')
  await row(page, 'Edith').waitFor()
  await page.getByRole('button', { name: 'Snooze', exact: true }).click()
  await page.getByRole('menuitem', { name: 'For 3 days' }).click()
  await row(page, 'Edith').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row(page, 'Edith').waitFor()
  // What was done is done again.
  await page.getByRole('button', { name: 'Done', exact: true }).last().click()
  await row(page, 'Edith').waitFor({ state: 'detached' })
  await page.goto(new URL(`${path}?view=done&thread=${id}`, page.url()).href)
  await page.getByRole('button', { name: 'Snooze', exact: true }).click()
  await page.getByRole('menuitem', { name: 'For 3 days' }).click()
  await row(page, 'Edith').waitFor({ state: 'detached' })
  await page.getByText('Snoozed.').waitFor()
  await page.keyboard.press('z')
  await row(page, 'Edith').waitFor()
  await page.getByRole('button', { name: 'Not done' }).click()
  await row(page, 'Edith').waitFor({ state: 'detached' })
  await page.goto(new URL(`${path}?thread=${id}`, page.url()).href)
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  const asking = page.getByRole('dialog', { name: 'Unsubscribe edith@lead.example?' })
  await asking.getByText('There is no undo').waitFor()
  // Asked again, it does not begin with the refusal of last time.
  expectFailures(page, 'POST /app/api/v2/lead/update/status 409')
  await page.route('**/lead/update/status', (route) => route.fulfill(refusal(409, noAnswer)), {
    times: 1,
  })
  await asking.getByRole('button', { name: 'Unsubscribe' }).click()
  await asking.getByText(noAnswer).waitFor()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await asking.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Unsubscribe' }).click()
  await asking.getByText('There is no undo').waitFor()
  expect(await asking.getByText(noAnswer).count()).toBe(0)
  await asking.getByRole('button', { name: 'Unsubscribe' }).click()
  await asking.waitFor({ state: 'detached' })
  const { status } = await api.ctx.database.peek
    .selectFrom('leads')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(status).toBe('unsubscribed')
  await page.getByText('Nothing is sent to this address').waitFor()
})

test('an answer of which nobody knows is decided in its conversation, and Home leads there', async ({
  application,
  open,
  world,
}) => {
  const { peek } = application.api.ctx.database
  const people = [
    await world.converse({ email: 'emmy@lead.example', first_name: 'Emmy' }),
    await world.converse({ email: 'lise@lead.example', first_name: 'Lise' }),
  ]
  const ids = people.map(({ id }) => id)
  await peek
    .updateTable('sends')
    .set({ state: 'uncertain', timestamp_transmitting: new Date() })
    .where('lead_id', 'in', ids)
    .execute()
  const page = await open(application.visitor, '/w/default')
  await page.getByText('An answer to emmy@lead.example may or may not').waitFor()
  await page.getByRole('link', { name: 'Decide' }).first().click()
  await page.getByText('Nobody knows whether it arrived').waitFor()
  await page.getByRole('button', { name: 'It arrived: the mail to emmy@lead.example' }).click()
  await page.getByText('Nobody knows whether it arrived').waitFor({ state: 'detached' })
  await page.getByText('anna@example.com', { exact: true }).waitFor()
  const { state } = await peek
    .selectFrom('sends')
    .select('state')
    .where('lead_id', '=', ids[0] as string)
    .executeTakeFirstOrThrow()
  expect(state).toBe('sent')

  const before = world.outbox.mails.length
  await page.goto(`${application.address}/w/default`)
  await page.getByText('An answer to lise@lead.example may or may not').waitFor()
  await page.getByRole('link', { name: 'Decide' }).click()
  await page.getByRole('button', { name: 'Send again: the mail to lise@lead.example' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('they have it twice').waitFor()
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await world.outbox.waitFor(before + 1)
  await page.getByText('Nobody knows whether it arrived').waitFor({ state: 'detached' })
  expect(world.outbox.mails.at(-1)).toMatchObject({ to: 'lise@lead.example' })
})

test('a label that is undone leaves the lead as it was, in the sequence too, and its mails lead back', async ({
  application,
  open,
  world,
}) => {
  const { peek } = application.api.ctx.database
  const { id } = await world.converse({ email: 'hedy@lead.example', first_name: 'Hedy' })
  // Somebody who is still sent to: an automatic reply stops nothing.
  await peek
    .updateTable('leads')
    .set({ sending_state: 'active', stop_reason: null, status: 'contacted' })
    .where('id', '=', id)
    .execute()
  const lead = () =>
    peek
      .selectFrom('leads')
      .select(['status', 'sending_state', 'stop_reason'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const page = await open(application.visitor, `${path}?thread=${id}`)
  await page.getByRole('button', { name: 'Label: Contacted' }).waitFor()
  await page.keyboard.press('1')
  await page.getByText('Now: Interested.').waitFor()
  expect(await lead()).toMatchObject({ status: 'interested', sending_state: 'stopped' })
  await page.keyboard.press('z')
  await page.getByRole('button', { name: 'Label: Contacted' }).waitFor()
  // The page shows it before the server has done it.
  await expect.poll(lead).toEqual(contacted)

  // Of a long history the part that is read first may have none of the mails that came in.
  await page.route('**/app/leads/*/history?**', async (route) => {
    const { items } = await (await route.fetch()).json()
    const sent = items.filter(({ kind }: { kind: string }) => kind === 'message')
    await route.fulfill({
      json: { items: sent.map((mail: object) => ({ ...mail, direction: 'out' })) },
    })
  })
  await page.getByRole('link', { name: 'Open the lead' }).click()
  await page.getByRole('link', { name: 'Open the conversation' }).first().click()
  await page.getByRole('button', { name: 'Label: Contacted' }).waitFor()
  expect(page.url()).toContain(`thread=${id}`)

  // Beside the mails there is no room on a telephone: the lead unfolds.
  await page.setViewportSize({ width: 360, height: 740 })
  const yOf = async (part: Locator) => (await part.boundingBox())?.y ?? Number.NaN
  const back = page.getByRole('button', { name: 'Back to the list' })
  expect(await yOf(back)).toBeLessThan(await yOf(page.getByRole('complementary')))
  const unsubscribe = page.getByRole('button', { name: 'Unsubscribe' })
  expect(await unsubscribe.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'More about the lead' }).click()
  await page.getByText(/Waits for the first mail|Gets more mails/).waitFor()
  await page.getByRole('link', { name: 'Open the lead' }).waitFor()
  await unsubscribe.waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

const contacted = { status: 'contacted', sending_state: 'active', stop_reason: null }

test('of a long conversation the first mail is found as well', async ({
  application,
  open,
  world,
}) => {
  const { id } = await world.converse({ email: 'long@lead.example' }, { text: 'The very first.' })
  await addMails(application.api.ctx, application.api.workspaceId, id, 130)
  const page = await open(application.visitor, `${path}?thread=${id}`)
  await page.getByText('Mail 130', { exact: true }).first().waitFor()
  const older = page.getByRole('button', { name: 'Show older mails' })
  for (const oldest of ['Mail 81', 'Mail 31', 'The very first.']) {
    await older.click()
    await page.getByRole('article').getByText(oldest, { exact: true }).waitFor()
  }
  await older.waitFor({ state: 'detached' })
  expect(await page.getByRole('article').locator('section').count()).toBe(131)
})

test('conversations stand under the days of the reader, keys go on through them and are told', async ({
  application,
  open,
  world,
}) => {
  const { peek } = application.api.ctx.database
  const dayMs = 86_400_000
  const ids: string[] = []
  for (const [at, days] of [3, 1, 0].entries()) {
    const lead = { email: `day${at}@day.example`, first_name: 'Dayne' }
    const { id } = await world.converse(lead, { text: 'Hello.\nשלום לכולם' })
    const arrived = { timestamp_last_message: new Date(Date.now() - days * dayMs) }
    await peek.updateTable('threads').set(arrived).where('id', '=', id).execute()
    ids.unshift(id)
  }
  const page = await open(application.visitor, `${path}?search=dayne`)
  await row(page, 'Dayne').nth(2).waitFor()
  const list = page.getByRole('region', { name: 'Conversations' })
  const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
  expect(await list.getByRole('heading').allTextContents()).toEqual([
    ...['Today', 'Yesterday'],
    date.format(Date.now() - 3 * dayMs),
  ])
  for (const id of ids) {
    await page.keyboard.press('j')
    await expect.poll(() => page.url()).toContain(id)
  }
  await list.getByText('all keys').waitFor()
  // What is written from the right stands at the right.
  await page.getByRole('article').getByText('שלום לכולם').waitFor()
  const fromRight = await page.evaluate(`{
    const text = [...document.querySelectorAll('article p')].find((p) => p.textContent.includes('ש'))
    const line = document.createRange()
    line.setStart(text.firstChild, text.textContent.indexOf('ש'))
    line.setEnd(text.firstChild, text.textContent.length)
    text.getBoundingClientRect().right - line.getBoundingClientRect().right
  }`)
  expect(Math.abs(Number(fromRight))).toBeLessThan(2)

  // One that was put off comes back at its time: nothing happens then that the server could tell of.
  await installClock(page)
  const body = { ids: ids.slice(0, 1), until: new Date(Date.now() + dayMs).toISOString() }
  await application.asOwner('POST', '/app/threads/snooze', body)
  await row(page, 'Dayne').nth(2).waitFor({ state: 'detached' })
  const now = { snoozed_until: new Date() }
  await peek
    .updateTable('threads')
    .set(now)
    .where('id', '=', body.ids[0] ?? '')
    .execute()
  // The minute begins when the list was read last, which may be on its way still.
  const readAMinuteLater = async () => {
    await page.clock.fastForward(60_000)
    return row(page, 'Dayne').count()
  }
  await expect.poll(readAMinuteLater).toBe(3)

  // What comes in behind another tab is unread until somebody looks.
  const id = ids.at(-1) ?? ''
  const isUnread = async () => (await application.asOwner('GET', `/app/threads/${id}`)).body.unread
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))`)
  await expect.poll(isUnread).toBe(false)
  await show('hidden')
  const readAgain = page.waitForResponse((response) => response.url().endsWith(id))
  await application.asOwner('POST', '/app/threads/read', { ids: [id], read: false })
  await (await readAgain).finished()
  await page.locator('button[aria-current=true][data-unread]').waitFor()
  expect(await isUnread()).toBe(true)
  await show('visible')
  await expect.poll(isUnread).toBe(false)
  await page.setViewportSize({ width: 390, height: 800 })
  await list.getByText('all keys').waitFor({ state: 'hidden' })
})

test('what comes in while somebody reads moves nothing, and the narrow page shows one thing at a time', async ({
  application,
  open,
  world,
}) => {
  for (let n = 1; n <= 12; n++) {
    await world.converse({ email: `many${n}@lead.example`, first_name: `Many ${n}` })
  }
  const page = await open(application.visitor, path)
  await page.setViewportSize({ width: 1280, height: 500 })
  const fifth = row(page, 'Many 5 ')
  await fifth.scrollIntoViewIfNeeded()
  await fifth.click()
  const top = async () => (await fifth.boundingBox())?.y ?? 0
  const before = await top()
  await world.converse({ email: 'late@lead.example', first_name: 'Late' })
  await row(page, 'Late').waitFor({ state: 'attached' })
  // Screens have no halves of pixels.
  await expect.poll(async () => Math.abs((await top()) - before)).toBeLessThanOrEqual(1)

  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await row(page, 'Late').waitFor()
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360)
})

test('keys go on from where somebody was, in a mail that was clicked and in each view', async ({
  application,
  open,
  world,
}) => {
  const lead = (name: string) => ({
    ...{
      email: `${name.toLowerCase()}@place.example`,
      first_name: name,
      company_name: 'Placeholm',
    },
  })
  const html = '<p>A mail of its own</p>'
  const last = await world.converse(lead('Last'))
  const middle = await world.converse(lead('Middle'), { html })
  const first = await world.converse(lead('First'))
  const page = await open(application.visitor, `${path}?search=placeholm`)
  const isOpen = (of: { id: string }) => expect.poll(() => page.url()).toContain(of.id)
  await row(page, 'Last').waitFor()
  await page.keyboard.press('j')
  await isOpen(first)
  await page.keyboard.press('j')
  await isOpen(middle)
  const mail = page.frameLocator('iframe[title="Mail"]').getByText('A mail of its own')
  await mail.click()
  await page.keyboard.press('k')
  await isOpen(first)
  await page.keyboard.press('j')
  await mail.waitFor()
  await application.asOwner('POST', '/app/threads/done', { ids: [middle.id], done: true })
  await row(page, 'Middle').waitFor({ state: 'detached' })
  await isOpen(middle)
  await page.keyboard.press('j')
  await isOpen(last)

  const automatic = { kind: 'auto_reply' } as const
  const older = await world.converse(lead('Older'), automatic)
  const newer = await world.converse(lead('Newer'), automatic)
  await page.goto(`${application.address}${path}?search=placeholm&view=automatic`)
  await row(page, 'Older').waitFor()
  await page.keyboard.press('j')
  await isOpen(newer)
  await page.keyboard.press('e')
  await isOpen(older)
})

test('views say what a click shows: each mailbox by its address, and all that is unread', async ({
  application,
  open,
  world,
}) => {
  const { peek } = application.api.ctx.database
  const add = async (address: string) => {
    const server = { host: '127.0.0.1', port: 1, security: 'none', username: 'me', password: 'x' }
    const body = { address, smtp: server, imap: server }
    return (await application.asOwner('POST', '/app/mailboxes', body)).body.id as string
  }
  const mailbox_id = await add('bert@views.example')
  const idle = await add('idle@views.example')
  await world.converse({ email: 'two@views.example', first_name: 'Two' })
  const { id } = await world.converse({ email: 'one@views.example', first_name: 'One' })
  const of = peek.updateTable('threads').where('id', '=', id)
  await of.set({ mailbox_id }).execute()
  await peek.updateTable('threads').set({ unread: false }).execute()
  await world.converse({ email: 'away@views.example', first_name: 'Away' }, { kind: 'auto_reply' })
  const page = await open(application.visitor, `${path}?mailbox=${mailbox_id}`)
  const views = page.getByRole('navigation', { name: 'Views' })
  await views.getByRole('button', { name: /^bert@views\.example/, pressed: true }).waitFor()
  await views.getByRole('button', { name: new RegExp(`^${world.mailboxAddress}`) }).waitFor()
  await page.goto(`${application.address}${path}?view=all&mailbox=${idle}`)
  await views.getByRole('button', { name: 'idle@views.example', pressed: true }).click()
  await views.getByRole('button', { name: /^Unread\s*1$/ }).click()
  await row(page, 'One').waitFor({ state: 'detached' })
  await row(page, 'Away').waitFor()
  expect(
    await page.getByRole('region', { name: 'Conversations' }).locator('li[data-id]').count(),
  ).toBe(1)
})

test('what is read stays open when something comes in, and what cannot be read says so', async ({
  application,
  open,
  world,
}) => {
  const { ctx, workspaceId } = application.api
  const mail = { text: 'A long answer', html: '<p>A long answer</p>' }
  const { id } = await world.converse({ email: 'reader@reads.example' }, mail)
  const person = await createMember(application.api, 'reads@team.example', 'member')
  const page = await open(person.browser, '/account')
  const missing = 'This mail could not be read.'
  expectFailures(page, /^GET \/app\/messages\/\S+\/body 503$/)
  const openUnread = async () => {
    await page.route('**/body?*', (route) => route.fulfill(refusal(503, noAnswer)), {
      times: 1,
    })
    await page.goto(`${application.address}${path}?thread=${id}`)
    await page.getByText(missing).waitFor()
  }
  await openUnread()
  await page.getByRole('button', { name: 'Try again' }).click()
  const text = page.frameLocator('iframe[title="Mail"]').getByText('A long answer')
  await text.waitFor()
  // Once somebody has signed in again it is read by itself.
  await openUnread()
  expectFailures(page, / 401$/)
  await ctx.database.peek.deleteFrom('user_sessions').where('user_id', '=', person.id).execute()
  tellPages(ctx, workspaceId, ['inbox'])
  await signInAgain(page)
  await text.waitFor()
  await addMails(ctx, workspaceId, id, 1)
  tellPages(ctx, workspaceId, ['inbox'])
  await page.getByRole('article').getByText('Mail 1', { exact: true }).waitFor()
  expect(await text.isVisible()).toBe(true)

  await page.setViewportSize({ width: 360, height: 740 })
  allowFailures(page, /^GET \/app\/threads\/\S+ 404$/)
  await ctx.database.peek.deleteFrom('threads').where('id', '=', id).execute()
  tellPages(ctx, workspaceId, ['inbox'])
  await page.getByRole('article').waitFor({ state: 'detached' })
  await page.getByRole('alert').waitFor()
  await page.getByRole('button', { name: 'Back to the list' }).click()
  await page.getByRole('searchbox').waitFor()
})
