import { expect } from 'vitest'
import { optOutEverywhere } from '../../../server/src/features/acquisition/index.ts'
import { createWorkspace, setPlan } from '../../../server/src/features/workspaces/index.ts'
import { importText } from '../../../server/test/directory-files.ts'
import { indexPeople, insertCompany, insertPeople } from '../../../server/test/directory-rows.ts'
import { createPerson, join } from '../../../server/test/people.ts'
import type { Application } from '../application.ts'
import { expectFailures } from '../browser.ts'
import { test } from './fixture.ts'

const path = '/w/default/contacts'
const hostile = '<img src=x onerror="document.title=1">'

async function fillDirectory({ api: { ctx } }: Application) {
  const company_id = await insertCompany(ctx, { name: `Analytical ${hostile}` })
  await insertPeople(ctx, [
    {
      company_id,
      first_name: 'Ada',
      last_name: hostile,
      title: 'Countess',
      email: 'ada@a.example',
    },
    { company_id, first_name: 'Grace', last_name: 'Hopper', title: 'Admiral' },
    { first_name: 'Ida', last_name: 'Rhodes', title: 'Admiral', email: 'ida@navy.example' },
    { company_id, first_name: 'Mary', last_name: 'Somerville', title: 'Admiral' },
    { company_id, first_name: 'Émilie', last_name: '李', title: 'Admiral' },
  ])
  await indexPeople(ctx)
}

test('somebody is found, revealed for one credit that the ledger tells of, kept in a list, and made a lead', async ({
  application,
  open,
}) => {
  const empty = await open(application.visitor, path)
  await empty.getByText('The directory is empty').waitFor()
  await fillDirectory(application)
  await application.asOwner('POST', '/app/api/v2/campaigns', { name: 'Spring' })

  const page = await open(application.visitor, path)
  await page.getByRole('searchbox', { name: 'Name, title or company' }).fill('count')
  await page.waitForURL(/q=count/)
  const row = page.getByRole('row', { name: /Ada/ })
  await row.waitFor()
  await page.getByText('1 person', { exact: true }).waitFor()
  const before = Number((await page.getByText(/credits left/).textContent())?.replace(/\D/g, ''))
  await row.getByRole('button', { name: /^Reveal \(1 credit\)/ }).click()
  await row.getByText('ada@a.example').waitFor()
  await page.getByText(`${(before - 1).toLocaleString('en')} credits left`).waitFor()

  await page.getByRole('tab', { name: 'Lists' }).click()
  await page.getByRole('button', { name: 'My contacts' }).click()
  await page.getByRole('cell', { name: /ada@a\.example/ }).waitFor()
  await page.getByLabel('Add everybody in it to a campaign').selectOption('Spring')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 lead added.', { exact: false }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('tab', { name: 'Credits' }).click()
  await page.getByRole('row', { name: /Address revealed ada@a\.example/ }).waitFor()
})

test('on a telephone the last column of a table ends where its lines do', async ({
  application,
  open,
}) => {
  const { ctx, workspaceId: workspace_id } = application.api
  const named = { name: 'Narrow', name_folded: 'narrow', timestamp_created: new Date() }
  const row = { workspace_id, id: ctx.newId(), ...named }
  await ctx.database.peek.insertInto('acquire_lists').values(row).execute()
  const page = await open(application.visitor, `${path}?view=lists`)
  await page.setViewportSize({ width: 360, height: 740 })
  const head = page.getByRole('columnheader').last()
  await expect.poll(() => head.textContent()).toBe('Contacts')
  const room = "getComputedStyle(document.querySelector('th.end')).paddingInlineEnd"
  expect(await page.evaluate(room)).toBe('0px')
})

test('the values of filters say how many people they would give', async ({ application, open }) => {
  await importText(
    application.api.ctx,
    `first_name,last_name,seniority,email,company,domain,industry,employee_count,country
Facet,A,director,a@facet.example,Facet,facet.example,Shipping,15,Norway
Facet,B,c_suite,b@facet.example,Facet,facet.example,Shipping,15,Norway
Facet,C,director,c@facet.example,Facet,facet.example,Shipping,15,Chile
`,
  )
  const page = await open(application.visitor, `${path}?q=facet`)
  await page
    .getByRole('combobox', { name: 'Country' })
    .or(page.getByLabel('Country'))
    .first()
    .click()
  await page.keyboard.type('Nor')
  await page.getByRole('option', { name: /^Norway\s*2$/ }).waitFor()
  // What stays typed is a value as well.
  for (let letter = 0; letter < 3; letter++) await page.keyboard.press('Backspace')
  await page.keyboard.press('Escape')
  await page.getByLabel('Seniority').first().click()
  await page.getByRole('option', { name: /^Director\s*2$/ }).waitFor()
  await page.getByRole('option', { name: /^C-suite\s*1$/ }).click()
  await page.waitForURL(/seniorities/)
  await page.keyboard.press('Escape')
  await expect
    .poll(() => page.locator('option[value="11-50"]').allTextContents())
    .toEqual(['11-50 (1)'])
  await page.getByLabel('Industry').first().click()
  await page.getByRole('option', { name: /^shipping\s*1$/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('listbox').first().waitFor({ state: 'hidden' })

  // On a telephone, where filters are folded away, all of each value and its count is in sight.
  const width = 390
  await page.setViewportSize({ width, height: 844 })
  await page.goto(`${application.address}${path}?q=facet`)
  await page.getByRole('button', { name: 'More filters' }).click()
  for (const [filter, value] of [
    ['Industry', /^shipping\s*3$/],
    ['Country', /^Norway\s*2$/],
  ] as const) {
    await page.getByLabel(filter).first().click()
    if (filter === 'Country') await page.keyboard.type('Nor')
    const option = page.getByRole('option', { name: value })
    await option.waitFor()
    const { x = -1, width: wide = 0 } = (await option.boundingBox()) ?? {}
    expect([x >= 0, x + wide <= width]).toEqual([true, true])
    for (let letter = 0; letter < 3; letter++) await page.keyboard.press('Backspace')
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').first().waitFor({ state: 'hidden' })
  }
})

test('many are revealed one after the other past who asked not to be, and the most it costs is said', async ({
  application,
  open,
}) => {
  const { ctx, workspaceId: workspace_id } = application.api
  const lists = ['The very first', ...Array.from({ length: 101 }, (_, at) => `Newer ${at}`)]
  await ctx.database.peek
    .insertInto('acquire_lists')
    .values(
      lists.map((name) => ({
        ...{ workspace_id, id: ctx.newId(), name, name_folded: name.toLowerCase() },
        timestamp_created: new Date(),
      })),
    )
    .execute()
  const page = await open(application.visitor, `${path}?titles=["admiral"]`)
  await page.getByRole('row', { name: /Hopper/ }).waitFor()
  const names = ['Grace Hopper', 'Ida Rhodes', 'Mary Somerville', 'Émilie 李']
  for (const name of names) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space')
    await page.getByRole('checkbox', { name: `Select ${name}`, checked: true }).waitFor()
  }
  // Of lists the oldest is suggested as well, however many are newer.
  const list = page.getByRole('combobox', { name: 'List for revealed contacts' })
  await list.fill('the very')
  await page.getByRole('option', { name: 'The very first' }).waitFor()
  await list.fill('Admirals')
  await optOutEverywhere(ctx, 'ida@navy.example')
  expectFailures(page, 'POST /app/api/v1/leadbank/acquire_email 409')
  await page.getByRole('button', { name: 'Reveal 4 addresses' }).click()
  await page.getByText('at most 4 credits', { exact: false }).waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).click()
  await page.getByText('4 of 4: 3 found. Credits spent: 3.').waitFor()
  await page.getByText('1 person cannot be revealed any more', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  expect(await page.getByText(/^person-.*@example\.com$/).count()).toBe(3)
  await page.getByRole('tab', { name: 'Lists' }).click()
  await page.getByRole('row', { name: /Admirals 3/ }).waitFor()
})

test('whoever goes to another workspace leaves what is not revealed yet, and neither pays for it', async ({
  application,
  open,
}) => {
  const { api } = application
  const { handle, id } = await createWorkspace(api.ctx, 'Northwind')
  const person = await createPerson(api, { email: 'both@team.example' })
  for (const workspaceId of [api.workspaceId, id]) await join(api, workspaceId, person, 'member')
  const page = await open(person.browser, `/w/${handle}`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.getByRole('button', { name: 'Workspace Northwind' }).click()
  await page.getByRole('menuitem', { name: 'default' }).click()
  await page.getByRole('button', { name: 'Workspace default' }).waitFor()
  // A link to all of them takes back what was searched for, and what was chosen of that.
  const toContacts = page.getByRole('link', { name: 'Contacts' })
  await toContacts.click()
  const field = page.getByRole('searchbox')
  await field.fill('hopper')
  await page.getByText('1 person', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Select Grace Hopper' }).press('Space')
  const one = page.getByRole('button', { name: 'Reveal 1 address' })
  await one.waitFor()
  await toContacts.click()
  await one.waitFor({ state: 'detached' })
  expect(await field.inputValue()).toBe('')

  for (const name of ['Grace Hopper', 'Mary Somerville']) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space')
  }
  await page.getByRole('button', { name: 'Reveal 2 addresses' }).click()
  const asked: (string | undefined)[] = []
  const answers: (() => Promise<void>)[] = []
  await page.route('**/app/api/v1/leadbank/acquire_email', (route) => {
    asked.push(route.request().headers()['x-workspace-id'])
    answers.push(() => route.continue())
  })
  await page.getByRole('dialog').getByRole('button', { name: 'Reveal' }).click()
  await expect.poll(() => asked.length).toBe(1)
  for (let step = 0; step < 3; step++) await page.goBack()
  await page.getByRole('button', { name: 'Workspace Northwind' }).waitFor()
  const answered = page.waitForResponse(/acquire_email/)
  await answers[0]?.()
  await (await answered).finished()
  await page.evaluate('new Promise(requestAnimationFrame)')
  expect(asked).toEqual([api.workspaceId])
})

test('a reveal among many whose answer got lost is counted among what was spent', async ({
  application,
  open,
}) => {
  const { ctx } = application.api
  const names = ['Agnes Arber', 'Jane Colden', 'Anna Atkins']
  const people = names.map((name) => name.split(' '))
  await insertPeople(
    ctx,
    people.map(([first_name = '', last_name = '']) => ({
      first_name,
      last_name,
      title: 'Botanist',
    })),
  )
  await indexPeople(ctx)
  const page = await open(application.visitor, `${path}?titles=["botanist"]`)
  for (const name of names) {
    await page.getByRole('checkbox', { name: `Select ${name}` }).press('Space')
  }
  await page.getByRole('button', { name: 'Reveal 3 addresses' }).click()
  let asked = 0
  await page.route('**/app/api/v1/leadbank/acquire_email', async (route) => {
    asked++
    if (asked !== 2) return route.fallback()
    await route.fetch()
    await route.abort()
  })
  expectFailures(page, 'POST /app/api/v1/leadbank/acquire_email lost')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Reveal' }).click()
  await dialog.getByText('1 of 3: 1 found', { exact: false }).waitFor()
  await dialog.getByRole('button', { name: 'Go on' }).click()
  await dialog.getByText('3 of 3: 3 found. Credits spent: 3.').waitFor()
  expect(asked).toBe(4)
})

test('what “Select all” takes of more than are loaded is said, with how many there are', async ({
  application,
  open,
}) => {
  const { ctx } = application.api
  await insertPeople(
    ctx,
    Array.from({ length: 260 }, (_, at) => ({ first_name: `Person${at}`, title: 'Engineer' })),
  )
  await indexPeople(ctx)
  const page = await open(application.visitor, `${path}?titles=["engineer"]`)
  await page.getByRole('row', { name: /Person259 / }).waitFor()
  const all = page.getByRole('checkbox', { name: 'Select all' })
  const bar = page.getByRole('region', { name: 'Selection' })
  await all.press('Space')
  await bar.getByText(/^(?:50|100) of 260 people chosen$/).waitFor()
  await bar.getByText('Scroll down to load more', { exact: false }).waitFor()
})

test('nobody matches says so, and without the plan the page says whom to ask', async ({
  application,
  open,
}) => {
  const { api } = application
  const page = await open(application.visitor, `${path}?titles=["admiral"]`)
  await page.getByRole('row', { name: /Hopper/ }).waitFor()
  await page.getByRole('searchbox').fill('zzzz')
  await page.getByText('Nobody matches').waitFor()

  // The page that is open hears of the plan, too.
  await setPlan(api.ctx, api.workspaceId, { acquisition: false })
  await page.goto(`${application.address}${path}`)
  expectFailures(page, /^\w+ \/app\/api\/v1\/leadbank\/\S+ 403$/)
  await page.getByText("Contacts are not in this workspace's plan").waitFor()
})
