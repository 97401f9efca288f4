import { expect, onTestFinished, test } from 'vitest'
import { testApi } from '../../../../test/app.ts'
import { captureStatements } from '../../../kernel/db/client.ts'
import { changeMany } from './jobs.ts'

const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }

test('leads that go on together read the steps of each campaign once', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const ids: string[] = []
  for (const name of ['spring', 'autumn']) {
    const { body } = await api.call('POST', '/api/v2/campaigns', { body: { name } })
    const leads = [1, 2, 3].map((n) => ({ email: `ann${n}@${name}.example` }))
    const added = await api.call('POST', '/api/v2/lead/add', {
      body: { campaign_id: body.id, leads },
    })
    ids.push(...added.body.created_leads.map(({ id }: { id: string }) => id))
  }
  await changeMany(ctx, workspaceId, { action: 'pause', ids }, by)
  let reads = 0
  captureStatements((text) => {
    if (text.includes('select sequences, campaign_schedule')) reads += 1
  })
  onTestFinished(() => captureStatements(undefined))
  expect(await changeMany(ctx, workspaceId, { action: 'resume', ids }, by)).toMatchObject({
    changed: 6,
  })
  expect(reads).toBe(2)
})
