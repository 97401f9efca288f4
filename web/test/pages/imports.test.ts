import { mkdtempDisposable, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Route } from 'playwright-core'
import { expect } from 'vitest'
import { setPlan } from '../../../server/src/features/workspaces/index.ts'
import { password } from '../../../server/test/browser.ts'
import { importer, manyRows } from '../../../server/test/imports.ts'
import { forgetPeak, peakMegabytes } from '../../../server/test/memory.ts'
import { patience } from '../../../server/test/patience.ts'
import { createMember } from '../../../server/test/people.ts'
import { allowFailures, expectFailures, goTo, readRenderers } from '../browser.ts'
import { refusal } from '../refusal.ts'
import { signInAgain } from '../sign-in-again.ts'
import { test } from './fixture.ts'

const path = '/w/default/leads/import'
const hostile = '<img src=x onerror=alert(1)>'

test('a file becomes leads: columns, check, import, report, and what was imported before', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  await asOwner('POST', '/app/api/v2/campaigns', { name: `Autumn ${hostile}` })
  const { run } = importer(api)
  const page = await open(application.visitor, path)
  await page.getByText('Nothing imported yet').waitFor()
  const rows = [
    `E-Mail;Vorname;Größe;${hostile}`,
    'jürgen@example.com;Jürgen;groß;1',
    `ann@example.com;${hostile};klein;2`,
    'no address;Bob;mittel;3',
  ].join('\r\n')
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: `${hostile}.csv`, mimeType: 'text/csv', buffer: Buffer.from(rows, 'latin1') },
  })
  await page.getByRole('heading', { name: `${hostile}.csv` }).waitFor()
  await page.getByText('jürgen@example.com').waitFor()
  expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252')
  expect(await page.getByLabel('What “E-Mail” becomes').inputValue()).toBe('email')
  expect(await page.getByLabel('What “Vorname” becomes').inputValue()).toBe('first_name')
  expect(await page.getByRole('button', { name: 'Check the file' }).isDisabled()).toBe(true)

  await page
    .getByRole('combobox', { name: 'Campaign' })
    .or(page.getByLabel('Campaign'))
    .first()
    .click()
  await page.getByRole('option', { name: `Autumn ${hostile}` }).click()
  await page.getByLabel(`What “${hostile}” becomes`).selectOption('skip')
  await page.getByLabel('Name of the variable for “Größe”').fill('size')
  await page.getByLabel('Name of the variable for “Größe”').blur()
  const update = page.getByLabel('Update them with what the file says')
  await update.click()
  await expect.poll(() => update.isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Looking at every row').waitFor()
  await run()
  const result = page.getByRole('region', { name: 'Result of the check' })
  await result.getByText('Will be added').waitFor()
  await result.getByRole('cell', { name: 'no address' }).waitFor()
  await result.getByRole('cell', { name: 'without a valid address (E-Mail)' }).waitFor()

  // A name that was looked at and left as it is does not ask for another check.
  const changed: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') changed.push(request.url())
  })
  await page.getByLabel('Name of the variable for “Größe”').focus()
  await page.getByRole('button', { name: 'Import 2 leads' }).click()
  await page.getByText('Importing …').waitFor()
  expect(changed).toEqual([])
  // Another visit shows the same: nothing depends on the page.
  await page.reload()
  await page.getByText('Importing …').waitFor()
  await run()
  await page.getByText('Finished').waitFor()
  const report = page.getByRole('link', { name: 'Download all with their reasons' })
  const [download] = await Promise.all([page.waitForEvent('download'), report.click()])
  expect(download.suggestedFilename()).toBe('import-report.csv')
  await page.getByRole('link', { name: 'Show leads' }).click()
  await page.getByText('jürgen@example.com').waitFor()
  await page.goto(`${application.address}${path}`)
  await page.getByRole('table', { name: 'Imports' }).getByText('Finished').waitFor()
})

test('what a colleague has changed meanwhile is not imported unseen: the page says so, and shows it', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Two of us' })
  const imports = importer(api)
  const { id } = await imports.send('email\nann@seen.example\n', { campaign_id: campaign.id })
  await imports.check(id)
  const page = await open(application.visitor, `${path}?id=${id}`)
  const start = page.getByRole('button', { name: 'Import 1 lead' })
  await start.waitFor()
  expectFailures(page, 'POST /app/imports/:id/start 409')
  await page.route(
    '**/app/imports/*/start',
    async (route) => {
      await imports.change(id, { encoding: 'windows-1252', duplicates: 'update' })
      await route.fallback()
    },
    { times: 1 },
  )
  await start.click()
  await page.getByRole('alert').getByText('Somebody else changed this import').waitFor()
  const update = page.getByLabel('Update them with what the file says')
  await expect.poll(() => update.isChecked()).toBe(true)
  expect(await page.getByLabel('Encoding').inputValue()).toBe('windows-1252')
  expect(await page.getByRole('alert').count()).toBe(1)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Looking at every row').waitFor()
  await imports.run()
  await start.click()
  await page.getByText('Importing …').waitFor()
  await imports.run()
  await page.getByText('Finished').waitFor()
})

test('a file that the plan had no room for is checked again and imported once it has', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Room' })
  const imports = importer(api)
  const { leads } = (await asOwner('GET', '/app/usage')).body
  await setPlan(api.ctx, api.workspaceId, { leadsMax: leads + 1 })
  const file = 'email\nroom1@room.example\nroom2@room.example\n'
  const { id } = await imports.send(file, { campaign_id: campaign.id })
  await imports.check(id)
  const page = await open(application.visitor, `${path}?id=${id}`)
  await page.getByText('The plan has room for 1 more leads').waitFor()
  const start = page.getByRole('button', { name: 'Import 2 leads' })
  expect(await start.isDisabled()).toBe(true)
  await setPlan(api.ctx, api.workspaceId, { leadsMax: null })
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('Looking at every row').waitFor()
  await imports.run()
  await expect.poll(() => start.isEnabled(), patience).toBe(true)
  expect(await page.getByRole('button', { name: 'Check again' }).count()).toBe(0)
})

test('a file is imported after the answer to its check got lost', async ({ application, open }) => {
  const { api, asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Lost check' })
  const imports = importer(api)
  const { id } = await imports.send('email\nlost@check.example\n', { campaign_id: campaign.id })
  const page = await open(application.visitor, `${path}?id=${id}`)
  expectFailures(page, 'POST /app/imports/:id/check lost')
  await page.route(
    '**/app/imports/*/check',
    async (route) => {
      // The page never sees it being checked, and goes on as it is.
      const over = Promise.withResolvers<void>()
      await page.route(`**/app/imports/${id}`, async (reading) => {
        await over.promise
        await reading.fallback()
      })
      await route.fetch()
      await imports.run()
      await route.abort()
      over.resolve()
    },
    { times: 1 },
  )
  const checked = page.waitForRequest('**/app/imports/*/check')
  await page.getByRole('button', { name: 'Check the file' }).click()
  await checked
  await page.getByRole('button', { name: 'Import 1 lead' }).click()
  await page.getByText('Importing …').waitFor()
  await imports.run()
  await page.getByText('Finished').waitFor()
})

test('in another encoding variables have the names that it makes of them, and keep those', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  // “Город” in Windows-1251, which bytes alone do not tell.
  const buffer = Buffer.from('email,\xc3\xee\xf0\xee\xe4\nivan@example.com,\xcc\n', 'latin1')
  const file = { name: 'cities.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').setInputFiles(file)
  const name = page.getByLabel(/Name of the variable/)
  await expect.poll(() => name.inputValue()).toBe('ãîðîä')
  await page.getByLabel('Encoding').selectOption('windows-1251')
  await page.getByLabel('What “Город” becomes').waitFor()
  expect(await name.inputValue()).toBe('город')
  await name.focus()
  await name.blur()
  expect(await name.inputValue()).toBe('город')
  const { items } = (await application.asOwner('GET', '/app/imports')).body
  expect(items[0].mapping[1]).toEqual({ target: 'variable', variable: 'город' })
})

test('the name of a variable can be emptied while it is typed, and one that is refused is not shown; another campaign is made after an answer was lost', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  const listed = Promise.withResolvers<void>()
  await page.route('**/app/campaigns/names', async (route) => {
    await listed.promise
    await route.fallback()
  })
  await page.reload()
  const buffer = Buffer.from('email,Plan,Tarif\nann@names.example,big,small\n')
  const file = { name: 'plans.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').setInputFiles(file)
  const name = page.getByLabel('Name of the variable for “Tarif”')
  await expect.poll(() => name.inputValue()).toBe('tarif')
  await name.fill('')
  expect(await name.inputValue()).toBe('')
  await name.blur()
  const nameless = page.getByText('A variable needs a name')
  await nameless.waitFor()
  expect(await name.inputValue()).toBe('tarif')
  await name.fill('plan')
  await nameless.waitFor({ state: 'detached' })
  expectFailures(page, 'PATCH /app/imports/:id 400')
  await name.blur()
  await page
    .getByRole('columnheader')
    .getByText('Another column is variable plan already')
    .waitFor()
  expect(await name.inputValue()).toBe('tarif')

  expectFailures(page, 'POST /app/api/v2/campaigns lost')
  await page.route(
    '**/app/api/v2/campaigns',
    async (route) => {
      await route.fetch()
      await route.abort()
    },
    { times: 1 },
  )
  const campaign = page.getByRole('combobox', { name: 'Campaign' })
  // Before it is known which there are, none is made: it may be there.
  await campaign.fill('There already')
  const listbox = page.getByRole('listbox')
  await listbox.getByText('Loading').waitFor()
  expect(await listbox.getByRole('option').count()).toBe(0)
  listed.resolve()
  await page.getByRole('option', { name: '“There already”' }).waitFor()
  const make = async (called: string) => {
    await campaign.fill(called)
    await page.getByRole('option', { name: `“${called}”` }).click()
  }
  await make('Lost one')
  await page.getByText('lost; try again in a moment').waitFor()
  await make('Another one')
  await expect.poll(() => campaign.inputValue()).toBe('Another one')
  await expect
    .poll(() => page.getByRole('button', { name: 'Check the file' }).isEnabled())
    .toBe(true)
  // Enter makes the one whose name was typed, also where the name of another begins with it.
  await campaign.fill('Another')
  await page.getByRole('option', { name: '“Another”' }).waitFor()
  await campaign.press('Enter')
  await expect.poll(() => campaign.inputValue()).toBe('Another')
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').waitFor({ state: 'hidden' })
  expect(await name.inputValue()).toBe('tarif')
})

test('a campaign that is older than those that are listed is shown by its name, once they can be read', async ({
  application,
  open,
}) => {
  const { api, asOwner, address } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Long ago' })
  const { id } = await importer(api).send('email\nann@old.example\n', { campaign_id: campaign.id })
  const page = await open(application.visitor, path)
  const names = { items: [{ id: api.ctx.newId(), name: 'The newest', status: 'draft' }] }
  expectFailures(page, 'GET /app/campaigns/names 409')
  let isRefused = true
  await page.route('**/campaigns/names', (route) =>
    route.fulfill(isRefused ? refusal(409, 'Campaigns cannot be read now.') : { json: names }),
  )
  await page.goto(`${address}${path}?id=${id}`)
  await page.getByRole('alert').getByText('Campaigns cannot be read now.').waitFor()
  isRefused = false
  await page.getByRole('button', { name: 'Try again' }).click()
  const choice = page.getByRole('combobox', { name: 'Campaign' })
  await expect.poll(() => choice.inputValue()).toBe('Long ago')
})

test('a check that is begun right from the name of a variable waits until that is kept, and for one that is refused there is none', async ({
  application,
  open,
}) => {
  await application.asOwner('POST', '/app/api/v2/campaigns', { name: 'Pressed at once' })
  const page = await open(application.visitor, path)
  const buffer = Buffer.from('email,Plan,Tarif\nann@pressed.example,big,small\n')
  const file = { name: 'pressed.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('combobox', { name: 'Campaign' }).click()
  await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'PATCH'),
    page.getByRole('option', { name: 'Pressed at once', exact: true }).click(),
  ])
  const check = page.getByRole('button', { name: 'Check the file' })
  await expect.poll(() => check.isEnabled()).toBe(true)
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/app/imports/') && request.method() !== 'GET') {
      asked.push(request.method())
    }
  })
  const pressWith = async (name: string) => {
    const pressed = Promise.withResolvers<void>()
    await page.route(/\/app\/imports\/[^/]+$/, async (route) => {
      if (route.request().method() === 'PATCH') await pressed.promise
      await route.fallback()
    })
    await page.getByLabel('Name of the variable for “Tarif”').fill(name)
    await check.hover()
    await page.mouse.down()
    // What is said of the last name must not go before the button is let go: it would move.
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
    await page.mouse.up()
    pressed.resolve()
  }
  expectFailures(page, 'PATCH /app/imports/:id 400')
  await pressWith('plan')
  await page
    .getByRole('columnheader')
    .getByText('Another column is variable plan already')
    .waitFor()
  await pressWith('rate')
  await page.getByText('Looking at every row').waitFor()
  expect(asked).toEqual(['PATCH', 'PATCH', 'POST'])
})

test('what cannot be imported says what to do, also when a proxy refuses it or the file is changed meanwhile, and a lost part is sent again', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  const choose = (name: string, buffer: Buffer) =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer })
  await choose('leads.csv', Buffer.from('504b0304140006000800', 'hex'))
  await page.getByText('This is an Excel workbook.').waitFor()
  await page.getByText('Failed').waitFor()
  await page.getByRole('link', { name: 'Choose another file' }).click()
  await page.getByText('Drop a CSV file here').waitFor()

  expectFailures(page, 'PUT /app/imports/:id/parts/1 lost')
  let lost = 0
  await page.route('**/parts/*', (route) => {
    lost += 1
    return lost === 1 ? route.abort() : route.fallback()
  })
  await choose('again.csv', Buffer.from('email\nzoe@example.com\n'))
  await page.getByText('zoe@example.com').waitFor()
  expect(lost).toBe(2)

  // As nginx answers that lets 1 MB through.
  await page.unrouteAll()
  await goTo(page, path)
  expectFailures(page, 'PUT /app/imports/:id/parts/1 413')
  let refused = 0
  await page.route('**/parts/*', (route) => {
    refused += 1
    return route.fulfill({ status: 413, contentType: 'text/html', body: '<h1>413</h1>' })
  })
  await choose('large.csv', Buffer.from('email\nyan@example.com\n'))
  await page.getByRole('alert').getByText('refused this as too large (413)').waitFor()
  expect(refused).toBe(1)
  expect(await page.getByText('this page goes on by itself').count()).toBe(0)

  await page.unrouteAll()
  await goTo(page, path)
  await using folder = await mkdtempDisposable(`${tmpdir()}/outrider-imports-`)
  const file = `${folder.path}/changed.csv`
  await writeFile(file, 'email\nxia@example.com\n')
  await page.route('**/parts/*', async (route) => {
    await writeFile(file, 'email\nwim@example.com\n')
    await route.abort()
  })
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('alert').getByText('The file was changed or moved').waitFor()
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
})

test('a file goes on by itself when its sender has signed in again, and when the server has time', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  expectFailures(page, 'PUT /app/imports/:id/parts/1 401', 'PUT /app/imports/:id/parts/1 429')
  expectFailures(page, 'PUT /app/imports/:id/parts/1 503')
  // The rest of the page finds out as well.
  allowFailures(page, /^[A-Z]+ \/app\/.* 401$/)
  const refusals: ((route: Route) => Promise<void>)[] = [
    async (route) => {
      await page.context().clearCookies()
      await route.fallback()
    },
    ...([429, 503] as const).map(
      (status) => (route: Route) =>
        route.fulfill({ ...refusal(status, 'Not now.'), headers: { 'Retry-After': '0' } }),
    ),
  ]
  let sent = 0
  await page.route('**/parts/*', async (route) => {
    sent += 1
    await (refusals.shift() ?? ((taken) => taken.fallback()))(route)
  })
  const buffer = Buffer.from('email\nyves@example.com\n')
  const file = { name: 'later.csv', mimeType: 'text/csv', buffer }
  await page.locator('input[type=file]').setInputFiles(file)
  await signInAgain(page)
  await page.getByText('yves@example.com').waitFor()
  expect(sent).toBe(4)
})

test('whoever left while a file was on its way goes on with that file and no other, and stops what runs', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Left' })
  const page = await open(application.visitor, `${path}?campaign=${campaign.id}`)
  // Of two parts, in few rows.
  const rows = manyRows(600)
    .replace('company_name', 'personalization')
    .replaceAll(' Ltd', ' x'.repeat(4000))
  const fileOf = (content: string) => ({
    ...{ name: 'left.csv', mimeType: 'text/csv', buffer: Buffer.from(content) },
  })
  await page.route('**/parts/2', () => undefined)
  await page.locator('input[type=file]').setInputFiles(fileOf(rows))
  const percent = Math.floor((100 * 4 * 1024 * 1024) / Buffer.byteLength(rows))
  await page.getByText(`Sending the file: ${percent} %`).waitFor()
  await page.reload()
  await page.getByText('left.csv was not fully uploaded').waitFor()
  await page.unrouteAll()

  const sent: string[] = []
  page.on('request', (request) => {
    const number = /\/parts\/(\d+)$/.exec(request.url())?.[1]
    if (number) sent.push(number)
  })
  const chooseAgain = async (content: string) => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Choose file' }).click(),
    ])
    await chooser.setFiles(fileOf(content))
  }
  await chooseAgain('email\nlea@example.com\n')
  await page.getByRole('alert').getByText('its size is different').waitFor()
  expect(sent).toEqual([])
  // As long, and another all the same.
  expectFailures(page, 'PUT /app/imports/:id/parts/1 400')
  await chooseAgain(rows.replace(',Ann 1,', ',Eva 1,'))
  await page.getByRole('alert').getByText('was sent before and is another one').waitFor()
  expect(sent.splice(0)).toEqual(['1'])
  await chooseAgain(rows)
  await page.getByText('person0@import.example').waitFor()
  await expect.poll(() => sent).toEqual(['1', '2'])

  const { run } = importer(api)
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Looking at every row').waitFor()
  await run()
  await page.getByRole('button', { name: 'Import 600 leads' }).click()
  await page.getByText('Importing …').waitFor()
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await page.getByText('Cancelled').waitFor()
  await run()
  await page.reload()
  await page.getByText('Cancelled').waitFor()
  const added = await api.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', campaign.id)
    .execute()
  expect(added).toEqual([])
})

test('whoever signs out while a file is on its way is asked first, and none of it is sent on by who signs in next', async ({
  application,
  open,
}) => {
  const { api } = application
  const first = await createMember(api, 'first@import.example', 'member')
  const second = await createMember(api, 'second@import.example', 'member')
  const page = await open(first.browser, path)
  const sent: string[] = []
  page.on('request', (request) => {
    const number = /\/parts\/(\d+)$/.exec(request.url())?.[1]
    if (number) sent.push(number)
  })
  const held = Promise.withResolvers<Route>()
  await page.route('**/parts/2', held.resolve, { times: 1 })
  const rows = manyRows(600)
    .replace('company_name', 'personalization')
    .replaceAll(' Ltd', ' x'.repeat(4000))
  await page.locator('input[type=file]').setInputFiles({
    ...{ name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(rows) },
  })
  const onItsWay = await held.promise
  const signOut = async () => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }
  const asking = page.getByRole('dialog', { name: 'Sign out now?' })
  await signOut()
  await asking.getByText('A file of leads is still on its way.').waitFor()
  await asking.getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Sending the file').waitFor()
  await signOut()
  // What the page was reading in this moment is refused.
  allowFailures(page, /^[A-Z]+ \/app\/.* 401$/)
  await asking.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('E-mail address').fill(second.email)
  // The part that was under way gets no answer any more, or that its sender is signed out.
  await onItsWay.fallback().catch(() => undefined)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('button', { name: 'Your account' }).waitFor()
  await goTo(page, path)
  await page.getByText('mine.csv').waitFor()
  expect(sent).toEqual(['1', '2'])
})

test('a picture and a row of 200 MB are refused with what to do, and neither the server nor the page grows', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  await asOwner('POST', '/app/api/v2/campaigns', { name: 'Large' })
  await using folder = await mkdtempDisposable(`${tmpdir()}/outrider-imports-`)
  const write = async (name: string, begin: string | Buffer) => {
    const file = `${folder.path}/${name}`
    await writeFile(file, begin)
    // Zeros that take no room on the disk.
    await truncate(file, 200_000_000)
    return file
  }
  const page = await open(application.visitor, path)
  const choose = (file: string) => page.locator('input[type=file]').setInputFiles(file)
  const renderers = await readRenderers(page)
  const peaks = () => Promise.all([process.pid, ...renderers].map(peakMegabytes))
  await Promise.all([process.pid, ...renderers].map(forgetPeak))
  const before = await peaks()
  let parts = 0
  page.on('request', (request) => {
    if (request.url().includes('/parts/')) parts++
  })
  await choose(await write('picture.csv', Buffer.from('89504e470d0a1a0a', 'hex')))
  await page.getByText('This is no text file. Export the leads as CSV').waitFor()
  expect(parts).toBe(1)

  await page.getByRole('link', { name: 'Choose another file' }).click()
  await choose(await write('endless.csv', manyRows(10_000)))
  await page.getByLabel('Campaign').first().click()
  await page.getByRole('option', { name: 'Large' }).click()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByText('Looking at every row').waitFor()
  await importer(api).run()
  await page.getByText('Row 10002 of the file is longer than').waitFor()
  expect(parts).toBe(49)
  expect(await page.getByRole('button', { name: /^Import/ }).isDisabled()).toBe(true)
  const after = await peaks()
  for (const [at, peak] of after.entries()) expect(peak - (before[at] ?? 0)).toBeLessThan(150)
})

test('who may only look is told that members import', async ({ application, open }) => {
  const viewer = await createMember(application.api, 'viewer@import.example', 'viewer')
  const page = await open(viewer.browser, path)
  await page.getByText('This page is for members and admins').waitFor()
})
