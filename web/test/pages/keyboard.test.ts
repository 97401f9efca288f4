import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { owner, setUpToken } from '../../../server/test/browser.ts'
import { importer } from '../../../server/test/imports.ts'
import { startMailServers } from '../../../server/test/mail/mail-servers.ts'
import { startApplication } from '../application.ts'
import { faultsOf, findBarriers, installClock, openWatched } from '../browser.ts'
import { createInboxWorld } from '../inbox-world.ts'
import { test } from './fixture.ts'

test('who has no mouse signs in, writes a campaign, answers a reply and makes a key, and sees where they are', async ({
  application,
  open,
}) => {
  await using world = await createInboxWorld(application)
  await world.converse({ email: 'ada@lead.example', first_name: 'Ada' }, { text: 'Sounds good.' })
  const page = await open(undefined, '/sign-in')
  const { keyboard } = page

  await page.locator('input[type=email]:focus').waitFor()
  await keyboard.type(owner.email)
  await goTo(page, page.getByLabel('Password', { exact: true }))
  await keyboard.type(owner.password)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home' }).waitFor()

  await choose(page, 'new campaign')
  await page
    .getByRole('textbox', { name: 'Name', exact: true })
    .and(page.locator(':focus'))
    .waitFor()
  await keyboard.type('By keyboard')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'By keyboard' }).waitFor()
  await mustHaveFocus(page)
  await goTo(page, page.getByRole('textbox', { name: 'Subject' }))
  await keyboard.type('Hello {{first_name}}')
  await goTo(page, page.getByRole('textbox', { name: 'Text', exact: true }))
  await keyboard.type('Hi {{first_name}}, lunch?')
  await goTo(page, page.getByRole('button', { name: 'Add step' }), 'Shift+Tab')
  await keyboard.press('Enter')
  await page.getByText('3 days later').waitFor()
  await mustHaveFocus(page)
  await goTo(page, page.getByRole('textbox', { name: 'Text', exact: true }))
  await keyboard.type('Did you see my mail?')
  await page.locator('[data-saving=saved]').waitFor()

  await choose(page, 'inbox')
  await page.getByRole('button', { name: /Ada/ }).waitFor()
  await mustHaveFocus(page)
  await keyboard.press('j')
  await page.getByRole('textbox', { name: 'Your answer' }).waitFor()
  await keyboard.press('r')
  await page.getByRole('textbox', { name: 'Your answer' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('Gladly, on Tuesday?')
  await installClock(page)
  await keyboard.press('Control+Enter')
  await page.getByText('Sent in 8 s').waitFor()
  await mustHaveFocus(page)
  await page.clock.fastForward(8000)
  const [mail] = await world.outbox.waitFor(1)
  expect(mail?.source.toString()).toContain('Gladly, on Tuesday?')

  await keyboard.press('g')
  await keyboard.press('k')
  await page.getByText('No keys yet').waitFor()
  await mustHaveFocus(page)
  const create = page.getByRole('button', { name: 'New key' }).first()
  await goTo(page, create)
  await keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('CRM sync')
  await goTo(page, page.getByRole('radio', { checked: true }))
  await keyboard.press('ArrowUp')
  expect(await page.getByRole('radio', { name: 'Read everything' }).isChecked()).toBe(true)
  await goTo(page, page.getByRole('button', { name: 'Create key' }))
  await keyboard.press('Enter')
  // The key is chosen as a whole, to be copied.
  const key = page.getByRole('textbox', { name: 'CRM sync' }).and(page.locator(':focus'))
  expect(await key.inputValue()).toMatch(/^ork_/)
  await goTo(page, page.getByRole('button', { name: 'I have stored it' }))
  await keyboard.press('Enter')
  await page.getByRole('rowheader', { name: 'CRM sync' }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await mustHaveFocus(page)

  await choose(page, 'new key')
  await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor()
  await keyboard.type('By palette')
  await keyboard.press('Enter')
  await press(page, page.getByRole('button', { name: 'I have stored it' }))
  const revoke = page.getByRole('button', { name: 'Revoke By palette' })
  await press(page, revoke)
  // The dialog begins at "Cancel": Enter alone revokes nothing.
  await page.locator('button:focus', { hasText: 'Cancel' }).waitFor()
  await keyboard.press('Tab')
  await keyboard.press('Enter')
  await revoke.waitFor({ state: 'detached' })
})

test('who leaves fields out is taken to the first of them', async ({ application, open }) => {
  const page = await open(application.visitor, '/w/default/settings/webhooks?panel=new')
  const focused = (name: string) =>
    page.getByRole('textbox', { name }).and(page.locator(':focus')).waitFor()
  await focused('Name')
  await press(page, page.getByRole('button', { name: 'Create webhook' }))
  await focused('Name')
  await page.keyboard.type('CRM')
  await press(page, page.getByRole('button', { name: 'Create webhook' }))
  await focused('Address')
})

test('who has no mouse sets up, connects a mailbox, imports leads, plans, launches and tries a webhook, and never loses their place', async ({
  browser,
}) => {
  await using application = await startApplication({ isSetUp: false })
  await using servers = await startMailServers()
  const { api, address } = application
  api.ctx.config.baseUrl = address
  api.ctx.lookupMail = async () => ['mx.hoster.example']
  api.ctx.lookupText = async () => []
  const page = await openWatched(browser)
  await page.goto(`${address}/set-up#${await setUpToken(api)}`)
  const { keyboard } = page
  const field = (name: string) => page.getByLabel(name, { exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })

  await field('Your name').and(page.locator(':focus')).waitFor()
  await keyboard.type(owner.name)
  await write(page, field('E-mail address'), owner.email)
  await write(page, field('Password'), owner.password)
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Get going' }).waitFor()

  await press(page, page.getByRole('link', { name: 'Connect a mailbox' }))
  await field('E-mail address').and(page.locator(':focus')).waitFor()
  await keyboard.type('anna@example.com')
  await keyboard.press('Enter')
  await field('Password').waitFor()
  await mustHaveFocus(page)
  await write(page, field('Password'), 'correct horse')
  for (const [side, port] of [
    ['Sending (SMTP)', servers.smtpPort],
    ['Reading (IMAP)', servers.imapPort],
  ] as const) {
    const fields = page.getByRole('group', { name: side })
    await write(page, fields.getByRole('textbox', { name: 'Server' }), '127.0.0.1')
    await write(page, fields.getByRole('spinbutton', { name: 'Port' }), String(port))
    await write(page, fields.getByRole('combobox', { name: 'Encryption' }), 'None')
  }
  await press(page, button('Log in and test'))
  await page.getByText('The mailbox works.').waitFor()
  await mustHaveFocus(page)
  await write(page, field('Name'), 'Anna Ahlers')
  await press(page, button('Save and finish'))
  await page.getByText('1 of 7').waitFor()
  await mustHaveFocus(page)

  await press(page, page.getByRole('link', { name: 'Import leads' }))
  const choosing = page.waitForEvent('filechooser')
  await press(page, page.locator('button', { hasText: 'Choose file' }))
  const rows = 'Email,First name\nada@lead.example,Ada\n'
  const file = { name: 'founders.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) }
  await (await choosing).setFiles(file)
  await page.getByRole('combobox', { name: 'Campaign' }).waitFor()
  await mustHaveFocus(page)
  await write(page, page.getByRole('combobox', { name: 'Campaign' }), 'Founders')
  await page.getByRole('option', { name: 'Founders' }).waitFor()
  await keyboard.press('ArrowDown')
  await keyboard.press('Enter')
  await press(page, button('Check the file'))
  await page.getByText('Looking at every row').waitFor()
  await importer(api).run()
  await button('Import 1 lead').waitFor()
  await mustHaveFocus(page)
  await press(page, button('Import 1 lead'))
  await page.getByText('Importing …').waitFor()
  await importer(api).run()
  await page.getByText('Finished').waitFor()
  await mustHaveFocus(page)

  await press(page, page.getByRole('link', { name: 'Open campaign' }))
  await write(page, page.getByRole('textbox', { name: 'Subject' }), 'Hello {{first_name}}')
  await write(page, page.getByRole('textbox', { name: 'Text', exact: true }), 'Lunch?')
  await press(page, button('Add step'), 'Shift+Tab')
  await page.getByText('3 days later').waitFor()
  // What is removed leaves them where it was.
  await press(page, button('Actions for step 2'), 'Shift+Tab')
  await pressLastItem(page)
  await page.getByText('3 days later').waitFor({ state: 'detached' })
  await page
    .getByRole('button', { name: /^Step 1/ })
    .and(page.locator(':focus'))
    .waitFor()

  await press(page, page.getByRole('link', { name: 'Schedule' }), 'Shift+Tab')
  await write(page, page.getByRole('textbox', { name: 'From' }), '7:30')
  await press(page, button('Sat'))
  expect(await button('Sat').getAttribute('aria-pressed')).toBe('true')
  await page.locator('[data-saving=saved]').waitFor()
  await press(page, button('Launch'), 'Shift+Tab')
  const panel = page.getByRole('dialog', { name: 'Launch “Founders”' })
  await panel.getByText('Everything it needs is there').waitFor()
  await keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await button('Launch').and(page.locator(':focus')).waitFor()
  await keyboard.press('Enter')
  await press(page, panel.getByRole('button', { name: 'Launch' }))
  await button('Pause').waitFor()
  await mustHaveFocus(page)

  await keyboard.press('g')
  await keyboard.press('e')
  await page.getByText('No webhooks yet').waitFor()
  await press(page, button('New webhook').first())
  const form = page.getByRole('dialog', { name: 'New webhook' })
  await form.getByLabel('Name').and(page.locator(':focus')).waitFor()
  await keyboard.press('Escape')
  await form.waitFor({ state: 'detached' })
  await button('New webhook').first().and(page.locator(':focus')).waitFor()
  await keyboard.press('Enter')
  await press(page, button('Use a try-out receiver'))
  await expect.poll(() => form.getByLabel('Address').inputValue()).toMatch(/\/app\/try\//)
  await button('Use a try-out receiver').and(page.locator(':focus')).waitFor()
  for (const name of ['X-One', 'X-Two']) {
    await press(page, button('Add header'))
    await write(page, field('Name of the header').last(), name, 'Shift+Tab')
  }
  await goTo(page, field('Name of the header').first(), 'Shift+Tab')
  await press(page, button('Remove header').first())
  await expect.poll(() => field('Name of the header').count()).toBe(1)
  await button('Remove header').and(page.locator(':focus')).waitFor()
  expect(await field('Name of the header').inputValue()).toBe('X-Two')
  await press(page, button('Create webhook'))
  await page
    .getByRole('textbox', { name: /^Signing secret/ })
    .and(page.locator(':focus'))
    .waitFor()
  await press(page, button('I have stored it'))
  await page.getByRole('heading', { name: 'Try-out', exact: true }).waitFor()
  await mustHaveFocus(page)
  await press(page, button('Send test'))
  await page.getByText('Verified').waitFor()
  await button('Send test').and(page.locator(':focus')).waitFor()
  await press(page, button('More actions'))
  await pressLastItem(page)
  const question = page.getByRole('dialog')
  await press(page, question.getByRole('button', { name: 'Cancel' }))
  await question.waitFor({ state: 'detached' })
  await button('More actions').and(page.locator(':focus')).waitFor()
  expect([...(await findBarriers(page)), ...faultsOf(page.context())]).toEqual([])
  await page.context().close()
})

type Way = 'Tab' | 'Shift+Tab'

async function press(page: Page, wanted: Locator, way?: Way) {
  await goTo(page, wanted, way)
  await page.keyboard.press('Enter')
}

/** Of a menu that opens. */
async function pressLastItem(page: Page) {
  await page.locator('[role=menuitem]:focus').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
}

/** In place of what is there. */
async function write(page: Page, wanted: Locator, text: string, way?: Way) {
  await goTo(page, wanted, way)
  await page.keyboard.press('Control+a')
  await page.keyboard.type(text)
}

/** By the palette. */
async function choose(page: Page, what: string) {
  await page.keyboard.press('Control+k')
  await page
    .getByRole('textbox', { name: /^Find a record/ })
    .and(page.locator(':focus'))
    .waitFor()
  await page.keyboard.type(what)
  await page
    .getByRole('button', { name: new RegExp(what, 'i') })
    .first()
    .waitFor()
  await page.keyboard.press('Enter')
}

const stopsMost = 60

/** As far as that takes, and at each stop it is seen where one is. */
async function goTo(page: Page, wanted: Locator, way: Way = 'Tab') {
  await wanted.waitFor()
  await expect.poll(() => wanted.isEnabled()).toBe(true)
  for (let stops = 0; stops < stopsMost; stops++) {
    if ((await wanted.and(page.locator(':focus')).count()) === 1) return
    await page.keyboard.press(way)
    expect(await page.evaluate(describeFocus)).toMatch(/^shown/)
  }
  throw new Error(`${wanted} was not reached by ${way}.`)
}

/** Once what was pressed has had its effect. */
const mustHaveFocus = (page: Page) =>
  expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false)

// A field shows its caret; everything else has a ring, or what stands for it beside it has one.
const describeFocus = `(() => {
  const focused = document.activeElement
  const isOnScreen = (element) => {
    const { width, height, right, bottom } = element.getBoundingClientRect()
    return width > 0 && height > 0 && right > 0 && bottom > 0
  }
  const hasRing = (element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0
  }
  const isField = focused.matches('[contenteditable], textarea, select, input:not([type=radio], [type=checkbox])')
  const seen = isField ? [focused] : [focused, ...focused.parentElement.children].filter(hasRing)
  const state = focused === document.body ? 'lost' : seen.some(isOnScreen) ? 'shown' : 'unseen'
  return state + ' ' + focused.outerHTML.slice(0, 200)
})()`
