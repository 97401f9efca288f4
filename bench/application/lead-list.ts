import type { Figure } from '../figure.ts'
import { insertHistory } from '../webhook-history.ts'
import { type ApplicationBench, createCampaign, createWebhook } from './application-bench.ts'
import { insertLeads } from './leads.ts'
import { measureTable } from './table.ts'

const leads = 100_000
const deliveries = 1_000_000

export async function measureLeadList(bench: ApplicationBench): Promise<Figure[]> {
  const { service, api, ask, openPage } = bench
  const webhook = await createWebhook(bench)
  await insertLeads(service, await createCampaign(bench, 'bench'), leads)
  await insertHistory(service, { ...webhook, rows: deliveries, leads })
  const page = await openPage()
  return measureTable({
    ...{ name: `${leads.toLocaleString('en-US')} leads`, page, link: 'Leads' },
    async leave() {
      await page.goto(`${api.address}/w/default/settings/workspace`)
      await page.getByRole('heading', { level: 1 }).waitFor()
    },
    askFirst: () => ask('GET', '/leads?limit=100'),
  })
}
