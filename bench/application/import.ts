import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withSession } from '../../server/src/kernel/db/session.ts'
import { peakMegabytes } from '../../server/test/memory.ts'
import { readRenderers } from '../../web/test/browser.ts'
import type { Figure } from '../figure.ts'
import type { BenchService } from '../service.ts'
import { type ApplicationBench, createCampaign } from './application-bench.ts'
import { leadOf } from './leads.ts'

const rows = 100_000
const rowsPerSecondMin = 10_000
const megabytesMax = 300

/** A file by the page of imports, against a bare COPY of the same rows. */
export async function measureImport(bench: ApplicationBench): Promise<Figure[]> {
  const { service, api, ask, openPage } = bench
  await createCampaign(bench, 'bench')
  const bare = await createCampaign(bench, 'bare')
  const file = join(service.dataDir, 'leads.csv')
  const lines = Array.from({ length: rows }, (_, at) => Object.values(leadOf(at)).join(','))
  await writeFile(file, `Email,First Name,Last Name,Company\n${lines.join('\n')}\n`)

  const page = await openPage()
  await page.goto(`${api.address}/w/default/leads/import`)
  const chosenMs = performance.now()
  await page.locator('input[type=file]').setInputFiles(file)
  const check = page.getByRole('button', { name: 'Check the file' })
  await check.waitFor()
  const sentMs = performance.now()
  await page.getByLabel('Campaign').first().click()
  await page.getByRole('option', { name: 'bench' }).click()
  const checkedFromMs = performance.now()
  await check.click()
  const start = page.getByRole('button', { name: /^Import / })
  await start.waitFor()
  const checkMs = performance.now() - checkedFromMs
  const startedMs = performance.now()
  await start.click()
  await page.getByText('Finished').waitFor()
  const endedMs = performance.now()
  const { items } = (await (await ask('GET', '/imports')).json()) as {
    items: { result: { added: number } }[]
  }
  if (items[0]?.result.added !== rows) throw new Error(`${items[0]?.result.added} were added`)
  const megabytes = Math.max(...(await Promise.all((await readRenderers(page)).map(peakMegabytes))))
  const value = rows / ((endedMs - startedMs) / 1000)
  const limit = rows / ((await copyBare(service, bare)) / 1000)
  return [
    {
      name: `import of ${rows.toLocaleString('en-US')} rows, from the button to "Finished"`,
      value,
      unit: 'rows/s',
      limit: { name: 'a bare COPY of the same rows into the same table', value: limit },
      target: '≥ 10,000 rows/s',
      met: value >= rowsPerSecondMin,
    },
    {
      name: 'the same from the choice of the file on, with sending, check and clicks',
      value: rows / ((endedMs - chosenMs) / 1000),
      unit: 'rows/s',
      target: `(sending ${seconds(sentMs - chosenMs)}, check ${seconds(checkMs)})`,
      met: true,
    },
    {
      name: 'memory of the page’s process at its peak, Chromium itself included',
      value: megabytes,
      unit: 'MB',
      target: '< 300 MB',
      met: megabytes < megabytesMax,
    },
  ]
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

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
