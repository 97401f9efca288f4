import { mkdtempDisposable, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import type { Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { auditActions, operator, recordAudit } from '../../../server/src/features/audit/index.ts'
import {
  eventCatalogue,
  standardEventTypes,
} from '../../../server/src/features/events/catalogue/index.ts'
import texts from '../../src/texts/en.json' with { type: 'json' }
import { expectFailures, goTo } from '../browser.ts'
import { test } from './fixture.ts'

const path = '/w/default/leads/import'

/** Every text of the catalogue in guillemets: what stands without them was written elsewhere. */
async function markTexts(page: Page) {
  const mark = (text: unknown): unknown =>
    typeof text === 'string'
      ? `«${text}»`
      : Object.fromEntries(
          Object.entries(text as object).map(([name, value]) => [name, mark(value)]),
        )
  await page.route('**/assets/en-*.json', async (route) => {
    const texts = await (await route.fetch()).json()
    await route.fulfill({ json: mark(texts) })
  })
  await page.reload()
}

test('that a proxy refuses, that a file was changed and that the server does not answer is said in words of the catalogue', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, path)
  await markTexts(page)
  await using folder = await mkdtempDisposable(`${tmpdir()}/outrider-texts-`)
  const file = `${folder.path}/leads.csv`
  const choose = async () => {
    await writeFile(file, 'email\nann@example.com\n')
    await page.locator('input[type=file]').setInputFiles(file)
  }
  const told = (text: RegExp) => page.getByRole('alert').getByText(text).first().waitFor()
  const answerPost = (answer: (route: Route) => Promise<void>) =>
    page.route('**/app/imports', (route) =>
      route.request().method() === 'POST' ? answer(route) : route.fallback(),
    )
  for (const status of [413, 403]) {
    expectFailures(page, `POST /app/imports ${status}`)
    await answerPost((route) => route.fulfill({ status, contentType: 'text/html', body: 'No' }))
    await choose()
    await told(new RegExp(`^«A proxy before Outrider refused this.*\\(${status}\\).*»$`))
    await page.unrouteAll({ behavior: 'wait' })
    await markTexts(page)
  }
  expectFailures(page, 'PUT /app/imports/:id/parts/1 lost')
  await page.route('**/parts/*', async (route) => {
    await writeFile(file, 'email\nbob@example.com\n')
    await route.abort()
  })
  await choose()
  await told(/^«The file was changed or moved.*»$/)
  await goTo(page, path)
  expectFailures(page, 'POST /app/imports lost')
  await answerPost((route) => route.abort())
  await choose()
  await told(/^«The server does not answer\..*»$/)
})

test('the schedules of a new campaign are called by the catalogue', async ({
  application,
  open,
}) => {
  const page = await open(application.visitor, '/w/default/campaigns?panel=new')
  await markTexts(page)
  await page.getByRole('textbox', { name: '«Name»' }).fill('Spring')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: '«Schedule»' }).click()
  await page.getByRole('button', { name: '«Schedule 1»' }).waitFor()
  await page.getByRole('button', { name: '«Add schedule»' }).click()
  await page.getByRole('button', { name: '«Schedule 2»' }).waitFor()
})

test('the tools of the editor of mails are called by the catalogue', async ({
  application,
  open,
}) => {
  const steps = [{ variants: [{ subject: 'Hi', body: '<p>Hello</p>' }] }]
  const campaign = { name: 'Autumn', sequences: [{ steps }] }
  const { body } = await application.asOwner('POST', '/app/api/v2/campaigns', campaign)
  const page = await open(application.visitor, `/w/default/campaigns/${body.id}`)
  await markTexts(page)
  const toolbar = page.locator('.mantine-RichTextEditor-toolbar')
  await toolbar.getByRole('button', { name: '«Bold»' }).waitFor()
  const tools = await toolbar.getByRole('button').all()
  const names = await Promise.all(tools.map((tool) => tool.getAttribute('aria-label')))
  expect(names.length).toBeGreaterThan(8)
  expect(names.filter((name) => !/^«.*»$/.test(name ?? ''))).toEqual([])
  await toolbar.getByRole('button', { name: '«Link»' }).click()
  await page.getByRole('textbox', { name: '«Enter URL»' }).waitFor()
  const save = page.getByRole('button', { name: '«Save»', exact: true })
  await save.waitFor()
  await page.keyboard.press('Escape')
  await save.waitFor({ state: 'detached' })
})

test('what the audit log and the history of a lead tell of is called by the catalogue, and spelled out where that does not know it yet', async ({
  application,
  open,
}) => {
  const { api, asOwner } = application
  const { workspaceId } = api
  await asOwner('PATCH', '/app/workspace', { name: 'Renamed' })
  const { body: campaign } = await asOwner('POST', '/app/api/v2/campaigns', { name: 'Told' })
  const leads = [{ email: 'ann@told.example' }]
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: campaign.id, leads })
  const lead = { campaign_id: campaign.id, email: 'ann@told.example' }
  const lost = { ...lead, new_status: 'lost' }
  await asOwner('POST', '/app/api/v2/lead/update/status', lost)
  const { id } = await api.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('email', '=', lead.email)
    .executeTakeFirstOrThrow()
  const entry = { workspaceId, ...operator, subjectType: 'lead', subjectId: id }
  // As a newer server writes it.
  await recordAudit(api.ctx, { ...entry, action: 'lead.sent_flowers' as 'lead.paused' })
  await recordAudit(api.ctx, {
    ...{ ...entry, action: 'lead.many_paused', details: { leads_asked: 5000 } },
  })

  const page = await open(application.visitor, '/w/default/settings/audit')
  await markTexts(page)
  const cell = (name: string) => page.getByRole('cell', { name }).first()
  await cell('«Workspace changed»').waitFor()
  await cell('«Status of a lead set»').waitFor()
  await cell('Lead sent flowers').waitFor()
  await goTo(page, `/w/default/leads?lead=${id}`)
  const history = page.getByRole('dialog').locator('section').filter({ hasText: '«History»' })
  await history.getByText('«Status set»').waitFor()
  await history.getByText('«Lost»').first().waitFor()
  await history.getByText('Sent flowers', { exact: true }).waitFor()
  await history.getByText('«Paused, in a change of 5,000 leads»').waitFor()
  const ofLeads = standardEventTypes.filter((type) => /^(email|lead|contact)\./.test(type))
  expect(Object.keys(texts.leads.history.names)).toEqual(expect.arrayContaining(ofLeads))
})

test('whatever the server records in the audit log has a text', () => {
  expect(Object.keys(texts.audit.actions).sort()).toEqual(auditActions.toSorted())
})

test('an event has one name, in the history of a lead and with webhooks', () => {
  const names: Record<string, string> = texts.leads.history.names
  const called = standardEventTypes.flatMap((type) => {
    const name = names[type]
    // A history is about its lead, and need not say so.
    const label = eventCatalogue[type].label.replace(/^Lead /, '')
    return name ? [{ type, name, label }] : []
  })
  expect(called.length).toBeGreaterThan(15)
  for (const { type, name, label } of called) {
    expect(`${type}: ${label}`.toLowerCase()).toBe(`${type}: ${name}`.toLowerCase())
  }
})

test('the parts of a campaign that two people have changed at once are named in words of the catalogue, and what was emptied is empty', async ({
  application,
  open,
}) => {
  const variants = [{ subject: 'Before', body: '<p>Hello</p>' }]
  const { body: campaign } = await application.asOwner('POST', '/app/api/v2/campaigns', {
    ...{ name: 'Parts', daily_limit: 10, sequences: [{ steps: [{ delay: 0, variants }] }] },
  })
  const page = await open(application.visitor, `/w/default/campaigns/${campaign.id}`)
  await markTexts(page)
  const url = `/app/api/v2/campaigns/${campaign.id}`
  expectFailures(page, 'PATCH /app/api/v2/campaigns/:id 409')
  let isFirst = true
  await page.route(`**${url}`, async (route) => {
    if (route.request().method() === 'PATCH' && isFirst) {
      isFirst = false
      const [step] = campaign.sequences[0].steps
      const theirs = step.variants.map((variant: object) => ({ ...variant, subject: '' }))
      const steps = [{ ...step, variants: theirs }]
      await application.asOwner('PATCH', url, { name: 'Theirs', sequences: [{ steps }] })
    }
    await route.fallback()
  })
  await page.getByRole('textbox', { name: '«Subject»' }).fill('Mine')
  for (const [whose, text] of [
    ['«Yours»', 'Mine'],
    ['«Theirs, saved meanwhile»', ''],
  ]) {
    const name = `«Step 1», «Variant A», «Subject»: ${whose}`
    expect(await page.getByRole('region', { name, exact: true }).textContent()).toBe(text)
  }
})
