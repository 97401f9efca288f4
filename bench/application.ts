import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addLeads } from '../server/src/features/leads/index.ts'
import { setUpPath } from '../server/src/features/sign-in/index.ts'
import { withSession } from '../server/src/kernel/db/session.ts'
import { launchBrowser } from '../web/test/browser.ts'
import { startRole } from './child.ts'
import type { Figure } from './figure.ts'
import { type BenchService, openService, percentile } from './service.ts'

type Browser = Awaited<ReturnType<typeof launchBrowser>>
type Page = Awaited<ReturnType<Browser['newPage']>>
type BrowserContext = Awaited<ReturnType<Browser['newContext']>>

const rows = 100_000
const person = {
  name: 'Bench',
  email: 'bench@example.com',
  password: 'correct horse battery staple',
}

interface Stage {
  service: BenchService
  address: string
  page: Page
  /** Below /app, as the page asks it. */
  ask: (method: string, path: string, body?: object) => Promise<Response>
}

export const parts = { list, import: importFile }

/** The application in a real browser, at `outrider api` and `outrider runner`. */
export async function bench(only: string[] = Object.keys(parts)): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const part of only) {
    await using service = await openService()
    await using api = await startRole('api', service)
    await using _runner = await startRole('runner', service)
    const cookie = await setUp(service, api.address)
    const browser = await launchBrowser()
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await enter(context, api.address, cookie)
    const ask: Stage['ask'] = (method, path, body) =>
      fetch(`${api.address}/app${path}`, {
        method,
        headers: {
          ...{ cookie, 'x-workspace-id': service.workspaceId, 'sec-fetch-site': 'same-origin' },
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
    const stage = { service, address: api.address, page: await context.newPage(), ask }
    figures.push(...(await parts[part as keyof typeof parts](stage)))
    await browser.close()
  }
  return figures
}

async function setUp({ ctx }: BenchService, address: string): Promise<string> {
  const token = (await setUpPath(ctx))?.split('#')[1]
  const answer = await fetch(`${address}/app/set-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ ...person, token }),
  })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')
}

const enter = (context: BrowserContext, address: string, cookie: string) =>
  context.addCookies(
    cookie.split('; ').map((pair) => {
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      return { name, value, domain: new URL(address).hostname, path: '/app', httpOnly: true }
    }),
  )

async function createCampaign({ ask }: Stage, name: string): Promise<string> {
  const answer = await ask('POST', '/api/v2/campaigns', { name })
  return ((await answer.json()) as { id: string }).id
}

const leadOf = (at: number) => ({
  email: `person${at}@bench.example`,
  first_name: `First ${at}`,
  last_name: `Last ${at % 1000}`,
  company_name: `Company ${at % 5000} Ltd`,
})

/** The page of leads: until rows stand there, and how smoothly they pass. */
async function list(stage: Stage): Promise<Figure[]> {
  const { service, address, page, ask } = stage
  const campaign_id = await createCampaign(stage, 'bench')
  for (let at = 0; at < rows; at += 1000) {
    const leads = Array.from({ length: 1000 }, (_, n) => leadOf(at + n))
    const input = { campaign_id, leads, overwrite: false, skip_if_in_workspace: false }
    await addLeads(service.ctx, service.workspaceId, input)
  }
  const first = page.locator('[data-index="0"]')
  const openings: number[] = []
  const answers: number[] = []
  for (let turn = 0; turn < 8; turn++) {
    await page.goto(`${address}/w/default/settings/workspace`)
    await page.getByRole('heading', { name: 'Workspace' }).first().waitFor()
    const link = page.getByRole('link', { name: 'Leads', exact: true })
    const startedMs = performance.now()
    await link.click()
    await first.waitFor()
    openings.push(performance.now() - startedMs)
    const askedMs = performance.now()
    await (await ask('GET', '/leads?limit=100')).text()
    answers.push(performance.now() - askedMs)
  }
  await page.evaluate(`
    window.longTasks = []
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longTasks.push(duration)
    }).observe({ type: 'longtask' })`)
  await page.getByRole('grid').hover()
  const turns = 150
  for (let turn = 0; turn < turns; turn++) await page.mouse.wheel(0, 2000)
  await page.locator('[data-index="5000"]').or(first).first().waitFor({ state: 'attached' })
  const longest = (await page.evaluate('Math.max(0, ...window.longTasks)')) as number
  return [
    {
      name: `first rows of ${rows.toLocaleString('en-US')} leads, p50`,
      value: percentile(openings, 0.5),
      unit: 'ms',
      limit: { name: 'the answer with them', value: percentile(answers, 0.5) },
      target: '< 500 ms',
      met: percentile(openings, 0.5) < 500,
    },
    {
      name: `longest task while ${turns * 50} rows pass`,
      value: longest,
      unit: 'ms',
      target: '≤ 100 ms',
      met: longest <= 100,
    },
  ]
}

/** A file of 100,000 rows by the page of imports, against a bare COPY of the same rows. */
async function importFile(stage: Stage): Promise<Figure[]> {
  const { service, address, page, ask } = stage
  await createCampaign(stage, 'bench')
  const bare = await createCampaign(stage, 'bare')
  const file = join(service.dataDir, 'leads.csv')
  const lines = Array.from({ length: rows }, (_, at) => Object.values(leadOf(at)).join(','))
  await writeFile(file, `Email,First Name,Last Name,Company\n${lines.join('\n')}\n`)

  await page.goto(`${address}/w/default/leads/import`)
  const startedMs = performance.now()
  await page.locator('input[type=file]').setInputFiles(file)
  await page.getByRole('button', { name: 'Check the file' }).waitFor()
  await page.getByLabel('Campaign').first().click()
  await page.getByRole('option', { name: 'bench' }).click()
  await page.getByRole('button', { name: 'Check the file' }).click()
  await page.getByRole('button', { name: /^Import / }).click({ timeout: 120_000 })
  await page.getByText('Finished').waitFor({ timeout: 120_000 })
  const wholeMs = performance.now() - startedMs
  const { items } = (await (await ask('GET', '/imports')).json()) as {
    items: { timestamp_started: string; timestamp_updated: string; result: { added: number } }[]
  }
  const [done] = items
  if (done?.result.added !== rows) throw new Error(`${done?.result.added} were added`)
  const ms = Date.parse(done.timestamp_updated) - Date.parse(done.timestamp_started)
  const value = rows / (ms / 1000)
  const debug = await page.context().newCDPSession(page)
  const { usedSize } = await debug.send('Runtime.getHeapUsage')
  const limit = rows / ((await copyBare(service, bare)) / 1000)
  return [
    {
      name: `import of ${rows.toLocaleString('en-US')} rows`,
      value,
      unit: 'rows/s',
      limit: { name: 'a bare COPY of the same rows into the same table', value: limit },
      target: '≥ 10,000 rows/s',
      met: value >= 10_000,
    },
    {
      name: 'the same with sending, check and clicks',
      value: wholeMs / 1000,
      unit: 's',
      target: '–',
      met: true,
    },
    {
      name: 'memory of the page afterwards',
      value: usedSize / 1e6,
      unit: 'MB',
      target: '< 300 MB',
      met: usedSize < 300e6,
    },
  ]
}

async function copyBare({ ctx, workspaceId }: BenchService, campaignId: string): Promise<number> {
  const at = ctx.now().toISOString()
  function* lines() {
    for (let n = 0; n < rows; n++) {
      const { email, ...texts } = leadOf(n)
      const values = [workspaceId, ctx.newId(), campaignId, email, email, ...Object.values(texts)]
      yield Buffer.from(`${[...values, at, at, at].join('\t')}\n`)
    }
  }
  const startedMs = performance.now()
  await withSession(ctx.db, ({ copyFrom }) =>
    copyFrom(
      `copy leads (workspace_id, id, campaign_id, email, email_folded, first_name, last_name,
         company_name, timestamp_created, timestamp_updated, timestamp_next_send) from stdin`,
      lines(),
    ),
  )
  return performance.now() - startedMs
}
