import type { Figure } from '../figure.ts'
import { insertHistory } from '../webhook-history.ts'
import { type ApplicationBench, createWebhook } from './application-bench.ts'
import { measureTable } from './table.ts'

const deliveries = 1_000_000

export async function measureDeliveryLog(bench: ApplicationBench): Promise<Figure[]> {
  const { service, api, ask, openPage } = bench
  const webhook = await createWebhook(bench)
  await insertHistory(service, { ...webhook, rows: deliveries, leads: 100_000 })
  const page = await openPage()
  return measureTable({
    ...{ name: `a log of ${deliveries.toLocaleString('en-US')} deliveries`, page, link: 'bench' },
    async leave() {
      await page.goto(`${api.address}/w/default/settings/webhooks`)
    },
    askFirst: () => ask('GET', `/api/v2/webhook-events?webhook_id=${webhook.webhookId}&limit=50`),
  })
}
