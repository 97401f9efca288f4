import type { Figure } from '../figure.ts'
import { insertHistory } from '../webhook-history.ts'
import { createWebhook, type Stage } from './stage.ts'
import { measureTable } from './table.ts'

const deliveries = 1_000_000

export async function measureDeliveryLog(stage: Stage): Promise<Figure[]> {
  const { service, api, ask, openPage } = stage
  const webhook = await createWebhook(stage)
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
