import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../../test/context.ts'
import { alwaysOpen } from '../../../../test/sending.ts'
import { createCampaign } from '../../campaigns/campaigns.ts'
import { updateCampaign } from '../../campaigns/update-campaign.ts'
import { createWorkspace } from '../../workspaces/index.ts'
import { CampaignCache } from './campaign-cache.ts'

let ctx: TestContext
let workspaceId: string
beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'acme')).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

const bodies = (letter: string) => [
  {
    steps: [0, 1].map((delay) => ({
      delay,
      variants: [0, 1].map((n) => ({
        ...{
          subject: `${delay}${n}`,
          body: `<p>${letter.repeat(200_000)}</p>`,
          v_disabled: n === 1,
        },
      })),
    })),
  },
]

async function makeCampaign() {
  const { id, timestamp_updated: version } = await createCampaign(ctx, workspaceId, {
    ...{ name: 'large', campaign_schedule: alwaysOpen, sequences: bodies('a') },
  })
  return { workspace_id: workspaceId, id, version }
}

test('what campaigns are planned from holds no text of a mail, whatever their size', async () => {
  const key = await makeCampaign()
  const campaign = (await new CampaignCache().read(ctx.db, [key])).get(key.id)
  expect(JSON.stringify(campaign).length).toBeLessThan(5_000)
  expect(campaign?.steps).toMatchObject([
    { number: 1, delay: 0, variants: [{ number: 1, v_disabled: false }, { v_disabled: true }] },
    { number: 2, delay: 1, variants: [{ number: 1 }, { number: 2 }] },
  ])
})

test('a variant is read once for each version, and one of another version is not sent', async () => {
  const key = await makeCampaign()
  const cache = new CampaignCache()
  const campaign = (await cache.read(ctx.db, [key])).get(key.id)
  const [step] = campaign?.steps ?? []
  const variant = step?.variants[0]
  const compile = () => campaign?.compiled(ctx.db, step?.id ?? '', variant?.id ?? '')
  const compiled = await compile()
  expect(compiled).toMatchObject({ stepId: step?.id, variantId: variant?.id })
  expect(await compile()).toBe(compiled)
  ctx.clock.advance(1_000)
  await updateCampaign(ctx, workspaceId, key.id, { sequences: bodies('b') })
  const late = new CampaignCache().read(ctx.db, [key])
  expect((await late).get(key.id)?.version).not.toEqual(key.version)
  const other = step?.variants[1]
  const planned = campaign?.compiled(ctx.db, step?.id ?? '', other?.id ?? '')
  await expect(planned).rejects.toThrow('changed after a mail was planned')
})
