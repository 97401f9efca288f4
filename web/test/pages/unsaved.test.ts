import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { operator } from '../../../server/src/features/audit/index.ts'
import { addMailbox } from '../../../server/src/features/mailboxes/index.ts'
import { createMember } from '../../../server/test/people.ts'
import { allowFailures, expectFailures, goTo } from '../browser.ts'
import { test } from './fixture.ts'

const settings = '/w/default/settings'
const questionOf = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

/** The page asks, and whoever is asked stays. */
async function stay(page: Page) {
  await questionOf(page).getByRole('button', { name: 'Stay' }).click()
  await questionOf(page).waitFor({ state: 'detached' })
}

test('a panel in which somebody typed closes when they say so, and by itself once it is saved', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${settings}/keys`)
  await page.getByRole('button', { name: 'New key' }).first().click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half a key')
  await page.keyboard.press('Escape')
  await questionOf(page).waitFor()
  // It hears of keys once it has the focus.
  await questionOf(page).locator(':focus').waitFor()
  // A second Escape answers the question, and does not ask again.
  await page.keyboard.press('Escape')
  await questionOf(page).waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Half a key')
  await page.goBack()
  await stay(page)
  await page.goBack()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await name.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'New key' }).first().click()
  await name.fill('Not wanted after all')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await name.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New key' }).first().click()
  await name.fill('A whole key')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('button', { name: 'I have stored it' }).click()
  await page.getByRole('rowheader', { name: 'A whole key' }).waitFor()
  expect(await questionOf(page).count()).toBe(0)
})

test('a link, another record and a reload lose nothing that was typed, and a filter beside it is no leaving', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const server = { host: '127.0.0.1', username: 'anna', password: 'secret', security: 'none' }
  const mailbox = { address: 'anna@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
  const page = await open(application.visitor, `${settings}/mailboxes/${id}`)
  const sender = page.getByRole('textbox', { name: 'Name', exact: true })
  await sender.fill('Anna')
  await page.getByRole('link', { name: 'Labels' }).click()
  await stay(page)
  expect(await sender.inputValue()).toBe('Anna')
  const asked = page.waitForEvent('dialog')
  const reload = page.reload().catch(() => undefined)
  const dialog = await asked
  expect(dialog.type()).toBe('beforeunload')
  await dialog.accept()
  await reload
  await sender.fill('Anna Example')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('link', { name: 'Labels' }).click()
  await page.getByRole('heading', { name: 'Labels', exact: true }).waitFor()

  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Autumn' })
  const leads = [{ email: 'ada@example.com' }, { email: 'bob@example.com' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
  await page.getByRole('link', { name: 'Leads' }).click()
  await page.getByRole('row', { name: /ada@/ }).click()
  const panel = page.getByRole('dialog', { name: /ada@/ })
  const company = panel.getByLabel('Company', { exact: true })
  await company.fill('Example Works')
  await page.getByRole('searchbox').fill('bob@')
  await page.getByRole('row', { name: /ada@/ }).waitFor({ state: 'detached' })
  expect(await company.inputValue()).toBe('Example Works')
  await page.getByRole('searchbox').fill('')
  await page.getByRole('row', { name: /ada@/ }).waitFor()
  expect(await questionOf(page).count()).toBe(0)
  // The panel lies over the end of the rows.
  const other = page.getByText('bob@example.com', { exact: true })
  await other.click()
  await stay(page)
  await panel.getByRole('button', { name: 'Save' }).click()
  await panel.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
  await other.click()
  await page.getByRole('dialog', { name: /bob@/ }).waitFor()
})

test('a saved view that is chosen beside an open lead asks first, and opens without the lead once that is answered', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Winter' })
  const leads = [{ email: 'eve@winter.example' }, { email: 'kim@winter.example' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
  await asOwner('PUT', '/app/saved-views', { name: 'Only Kim', search: { q: 'kim@' } })
  const page = await open(application.visitor, '/w/default/leads?q=winter')
  await page.getByRole('row', { name: /eve@/ }).click()
  const company = page.getByRole('dialog', { name: /eve@/ }).getByLabel('Company', { exact: true })
  await company.fill('Example Works')
  // By keyboard, because the panel lies over the button.
  const choose = async () => {
    await page.getByRole('button', { name: 'Views' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Only Kim', exact: true }).press('Enter')
  }
  await choose()
  await stay(page)
  expect(await company.inputValue()).toBe('Example Works')
  await choose()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await company.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /eve@/ }).waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /kim@/ }).waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('kim@')
})

test('another address, Back and a step back in connecting a mailbox are asked about, and keep the login and the limits that were begun', async ({
  application,
  open,
}) => {
  const { api } = application
  api.ctx.lookupMail = async () => ['mx.hoster.example']
  api.ctx.lookupText = async () => []
  const connect = `${settings}/mailboxes/connect`
  const page = await open(application.visitor, connect)
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('carol@example.com')
  await page.keyboard.press('Enter')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('half a password')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await stay(page)
  await page.goBack()
  await stay(page)
  expect(await password.inputValue()).toBe('half a password')
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('textbox', { name: 'E-mail address' }).waitFor()

  const server = { host: '127.0.0.1', username: 'dora', password: 'secret', security: 'none' }
  const mailbox = { address: 'dora@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
  const works = `${JSON.stringify({ step: 'done', status: 'ok', detail: '', remedy: null })}\n`
  await page.route('**/app/mailboxes/*/test', (route) =>
    route.fulfill({ contentType: 'application/x-ndjson', body: works }),
  )
  await goTo(page, `${connect}?address=dora@example.com`)
  await goTo(page, `${connect}?address=dora@example.com&mailbox=${id}`)
  const limit = page.getByLabel('Mails a day')
  await limit.fill('31')
  await page.goBack()
  await stay(page)
  expect(await limit.inputValue()).toBe('31')
  await page.goBack()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await limit.waitFor({ state: 'detached' })
})

test('two forms of a page in which somebody typed are asked about once, whatever else is under way, and what is being saved only if it is refused', async ({
  application,
  open,
}) => {
  const { api } = application
  const server = { host: '127.0.0.1', username: 'finn', password: 'secret', security: 'none' }
  const mailbox = { address: 'finn@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
  const page = await open(application.visitor, `${settings}/mailboxes/${id}`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Finn')
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('half a password')
  const labels = page.getByRole('link', { name: 'Labels' })
  const paused = Promise.withResolvers<void>()
  await page.route(`**/app/mailboxes/${id}/pause`, async (route) => {
    await paused.promise
    await route.fallback()
  })
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  // Who waits for an answer while leaving would wait for ever.
  await page.evaluate(`{
    const later = setTimeout
    window.setTimeout = (run, ms, ...rest) => (ms === 3000 ? 0 : later(run, ms, ...rest))
  }`)
  await labels.click()
  await stay(page)
  paused.resolve()
  expect(await password.inputValue()).toBe('half a password')
  await labels.click()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Labels', exact: true }).waitFor()

  let answer = Promise.withResolvers<{ status: number; json: object } | undefined>()
  await page.route(`**/app/mailboxes/${id}`, async (route) => {
    const refusal = route.request().method() === 'PATCH' ? await answer.promise : undefined
    await (refusal ? route.fulfill(refusal) : route.fallback())
  })
  const leaveWhileSaving = async (name: string, refusal?: { status: number; json: object }) => {
    await page.goBack()
    answer = Promise.withResolvers()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    const held = page.waitForRequest((request) => request.method() === 'PATCH')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    await held
    await labels.click()
    expect(await questionOf(page).count()).toBe(0)
    answer.resolve(refusal)
  }
  await leaveWhileSaving('Finn')
  await page.getByRole('heading', { name: 'Labels', exact: true }).waitFor()
  expect(await questionOf(page).count()).toBe(0)
  expectFailures(page, 'PATCH /app/mailboxes/:id 400')
  const json = { statusCode: 400, code: 'invalid_field', message: 'It is not taken.' }
  await leaveWhileSaving('Finnegan', { status: 400, json })
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
})

test('a label, an invitation, a plan, an entry of the suppression list and a name that were begun are asked for before they are left', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${settings}/labels`)
  await page.getByRole('button', { name: 'New label' }).first().click()
  const label = page.getByRole('textbox', { name: 'Name' })
  await label.fill('Half a label')
  await page.keyboard.press('Escape')
  await stay(page)
  expect(await label.inputValue()).toBe('Half a label')
  await label.press('Enter')
  await label.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Edit Half a label' }).click()
  await label.fill('A whole label')
  await page.goBack()
  await stay(page)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await label.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /Half a label/ }).waitFor()

  await page.getByRole('link', { name: 'Members' }).click()
  await page.getByRole('button', { name: 'Invite' }).first().click()
  const address = page.getByRole('textbox', { name: 'E-mail' })
  await address.fill('half@an.address')
  await page.goBack()
  await stay(page)
  expect(await address.inputValue()).toBe('half@an.address')
  await page.keyboard.press('Escape')
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await address.waitFor({ state: 'detached' })

  await page.goto(`${application.address}${settings}/workspace?panel=plan`)
  const requests = page.getByRole('spinbutton', { name: /Requests/ })
  const before = await requests.inputValue()
  await requests.fill('7')
  await page.keyboard.press('Escape')
  await stay(page)
  expect(await requests.inputValue()).toBe('7')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await requests.waitFor({ state: 'detached' })
  await page.goto(`${application.address}${settings}/workspace?panel=plan`)
  expect(await requests.inputValue()).toBe(before)

  await page.goto(`${application.address}${settings}/suppression?panel=add`)
  const blocked = page.getByRole('textbox', { name: 'Address or domain' })
  await blocked.fill('half.example')
  await page.keyboard.press('Escape')
  await stay(page)
  await blocked.press('Enter')
  await blocked.waitFor({ state: 'detached' })
  expect(await questionOf(page).count()).toBe(0)

  await page.getByRole('link', { name: 'Workspace', exact: true }).click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half a name')
  await page.getByRole('link', { name: 'Labels' }).click()
  await stay(page)
  expect(await name.inputValue()).toBe('Half a name')
})

test('a panel that opens and closes over a form of its page asks nothing, and the form keeps what was typed', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${settings}/workspace`)
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half a name')
  await page.getByRole('button', { name: 'Change plan' }).click()
  const requests = page.getByRole('spinbutton', { name: /Requests/ })
  await requests.waitFor()
  await page.keyboard.press('Escape')
  await requests.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Half a name')
})

test('a campaign, a test mail and a new password that were begun are asked for before they are left', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/campaigns')
  await page.getByRole('button', { name: 'New campaign' }).first().click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half a campaign')
  await page.keyboard.press('Escape')
  await stay(page)
  expect(await name.inputValue()).toBe('Half a campaign')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await name.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New campaign' }).first().click()
  await name.fill('A whole campaign')
  await name.press('Enter')
  await page.getByRole('heading', { name: 'A whole campaign' }).waitFor()

  const leads = [{ email: 'gus@example.com' }]
  const campaign_id = new URL(page.url()).pathname.split('/').at(-1)
  await application.asOwner('POST', '/app/api/v2/lead/add', { campaign_id, leads })
  // Its mail is not written yet.
  expectFailures(page, 'POST /app/campaigns/:id/preview 409')
  await page.getByRole('link', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  const to = page.getByRole('textbox', { name: 'To', exact: true })
  const own = await to.inputValue()
  await to.fill('half@an.address')
  await page.keyboard.press('Escape')
  await stay(page)
  expect(await to.inputValue()).toBe('half@an.address')
  await page.keyboard.press('Escape')
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await to.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send test' }).click()
  expect(await to.inputValue()).toBe(own)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await to.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Your account' }).click()
  const password = page.getByLabel('New password', { exact: true })
  await password.fill('half a password')
  await page.goBack()
  await stay(page)
  expect(await password.inputValue()).toBe('half a password')
  await page.goBack()
  await questionOf(page).getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'A whole campaign' }).waitFor()
})

test('a test mail that was refused is begun anew, and one that is sent slowly takes nobody back to its campaign', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const server = { host: '127.0.0.1', username: 'sam', password: 'secret', security: 'none' }
  const mailbox = { address: 'sam@slow.example', smtp: server, imap: server }
  await addMailbox(api.ctx, api.workspaceId, mailbox, operator)
  const variants = [{ subject: 'Slow', body: '<p>Hello</p>' }]
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', {
    ...{ name: 'Slow', email_list: [mailbox.address] },
    sequences: [{ steps: [{ delay: 0, variants }] }],
  })
  const leads = [{ email: 'sue@slow.example' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
  const page = await open(application.visitor, '/w/default/campaigns')
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  const answer = Promise.withResolvers<void>()
  const refusals = [
    { json: { success: false, to: 'sam@slow.example', error: 'The server is away.' } },
    { status: 409, json: { statusCode: 409, code: 'not_ready', message: 'It cannot be sent.' } },
  ]
  expectFailures(page, 'POST /app/campaigns/:id/test-mail 409')
  await page.route('**/test-mail', async (route) => {
    const refusal = refusals.shift()
    if (refusal) return route.fulfill(refusal)
    await answer.promise
    await route.fulfill({ json: { success: true, to: 'sam@slow.example', error: null } })
  })
  await page.getByRole('link', { name: 'Slow' }).click()
  await page.getByRole('link', { name: 'Preview' }).click()
  await page.getByRole('button', { name: 'Send test' }).click()
  const panel = page.getByRole('dialog', { name: 'Send this mail to yourself' })
  for (const refused of ['The server is away.', 'It cannot be sent.']) {
    await panel.getByRole('button', { name: 'Send test' }).click()
    await panel.getByRole('alert').getByText(refused).waitFor()
    await panel.getByRole('button', { name: 'Cancel' }).click()
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Send test' }).click()
    await panel.getByRole('textbox', { name: 'To', exact: true }).waitFor()
    expect(await panel.getByRole('alert').count()).toBe(0)
  }
  const asked = page.waitForRequest('**/test-mail')
  await panel.getByRole('button', { name: 'Send test' }).click()
  await asked
  await page.goBack()
  await panel.waitFor({ state: 'detached' })
  await page.goBack()
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  answer.resolve()
  await page.getByText('The test is on its way to sam@slow.example.').waitFor()
  await page.getByRole('link', { name: 'Slow' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/w/default/campaigns')
})

test('a panel that opens over that of a lead asks nothing, and the lead keeps what was typed', async ({
  application,
  open,
}) => {
  const { asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Below' })
  const leads = [{ email: 'ida@below.example' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
  const page = await open(application.visitor, `/w/default/campaigns/${campaign.id}?tab=leads`)
  await page.getByRole('row', { name: /ida@/ }).click()
  const company = page.getByRole('dialog', { name: /ida@/ }).getByLabel('Company', { exact: true })
  await company.fill('Half a company')
  // At this width the mouse does not reach it beside the panel.
  await page.getByRole('button', { name: 'Launch' }).press('Enter')
  await page.getByRole('dialog', { name: /^Launch/ }).waitFor()
  expect(await company.inputValue()).toBe('Half a company')
  expect(await questionOf(page).count()).toBe(0)
})

test('who signs out with something typed in a form is asked first, and loses nothing by staying', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${settings}/workspace`)
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Half a name')
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  await asked.getByText('What you typed here is not saved').waitFor()
  await asked.getByRole('button', { name: 'Cancel' }).click()
  await asked.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('Half a name')
})

test('who signs out while a form is being saved is asked nothing once it is', async ({
  application,
  open,
}) => {
  const person = await createMember(application.api, 'saves@team.example', 'member')
  const page = await open(person.browser, '/account')
  const answer = Promise.withResolvers<void>()
  await page.route('**/app/**', async (route) => {
    if (route.request().method() === 'PATCH') await answer.promise
    await route.fallback()
  })
  await page.getByRole('textbox', { name: 'Your name' }).fill('Saved in time')
  const held = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await held
  allowFailures(page, /^GET \/app\/.* 401$/)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  answer.resolve()
  await page.waitForURL('**/sign-in**')
})

test('who signs out while a key is being made is told that it is shown only once, and not that it is unsaved', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, `${settings}/keys?panel=new`)
  const answer = Promise.withResolvers<void>()
  await page.route('**/app/oauth/service-accounts', async (route) => {
    if (route.request().method() === 'POST') await answer.promise
    await route.fallback()
  })
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('On its way')
  const held = page.waitForRequest((request) => request.method() === 'POST')
  await page.getByRole('button', { name: 'Create key' }).click()
  await held
  // The mouse does not reach it beside the panel; a screen reader does.
  await page.getByRole('button', { name: 'Your account' }).dispatchEvent('click')
  await page.getByRole('menuitem', { name: 'Sign out' }).dispatchEvent('click')
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  await asked.getByText('is being created and is shown only once').waitFor()
  expect(await asked.getByText('is not saved').count()).toBe(0)
  await asked.getByRole('button', { name: 'Cancel' }).click()
  answer.resolve()
  await page.getByRole('textbox', { name: 'On its way' }).waitFor()
  await page.getByRole('button', { name: 'I have stored it' }).click()
})

test('who signs out before a secret is shown, or stored, is asked first', async ({
  application,
  open,
}) => {
  const target_hook_url = 'http://127.0.0.1:9/asked'
  const hook = { name: 'Asked', target_hook_url, event_type: 'all_events' }
  const { body: webhook } = await application.asOwner('POST', '/app/api/v2/webhooks', hook)
  const page = await open(application.visitor, `${settings}/webhooks/${webhook.id}?panel=secret`)
  const answer = Promise.withResolvers<void>()
  await page.route('**/app/api/v2/webhooks/*', async (route) => {
    if (route.request().method() === 'PATCH') await answer.promise
    await route.fallback()
  })
  const held = page.waitForRequest((request) => request.method() === 'PATCH')
  await page.getByRole('button', { name: 'Replace secret' }).last().click()
  await held
  const asked = page.getByRole('dialog', { name: 'Sign out now?' })
  const signOut = async (sentence: string) => {
    // The mouse does not reach it beside the panel; a screen reader does.
    await page.getByRole('button', { name: 'Your account' }).dispatchEvent('click')
    await page.getByRole('menuitem', { name: 'Sign out' }).dispatchEvent('click')
    await asked.getByText(sentence).waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await asked.waitFor({ state: 'detached' })
  }
  await signOut('is being created and is shown only once')
  answer.resolve()
  const stored = page.getByRole('button', { name: 'I have stored it' })
  await stored.waitFor()
  await signOut('cannot be read again')
  await stored.click()
  await stored.waitFor({ state: 'detached' })
  allowFailures(page, /^GET \/app\/.* 401$/)
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').waitFor()
})
