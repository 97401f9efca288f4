// Also runs on PostgreSQL 15: locks.
import { expect, test } from 'vitest'
import { testSending } from '../../../../test/sending.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { changeMany } from '../../leads/index.ts'
import { Lane } from '../lanes/lane.ts'
import { createSenderParts } from '../lanes/sender-parts.ts'
import { planLanes } from '../next-mail/plan-lanes.ts'
import { RestoreGuard } from '../restore-guard/restore-guard.ts'

test.each(['delete', 'move'] as const)(
  'no mail is claimed of leads that a %s found untouched, and those of other campaigns do not wait for it',
  async (action) => {
    await using sending = await testSending()
    const { ctx, workspaceId } = sending
    const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }
    const anna = await sending.createMailbox('anna@example.com')
    const bert = await sending.createMailbox('bert@example.com')
    const campaign = await sending.createCampaign([anna])
    const other = await sending.createCampaign([bert])
    const ids = await sending.addLeads(campaign.id, ['a@lead.example'])
    await sending.addLeads(other.id, ['b@lead.example'])
    const { body: target } = await sending.call('POST', '/api/v2/campaigns', {
      body: { name: 'target' },
    })
    const parts = createSenderParts(ctx, new RestoreGuard(ctx), new Date(0))
    const lanes = [anna, bert].map(({ id }) => new Lane(workspaceId, id, '0'))
    const plan = async () => {
      const actions = await planLanes(ctx, lanes, parts)
      return lanes.map((lane) => actions.get(lane)?.kind)
    }
    const change = { ids, action, ...(action === 'move' && { to_campaign_id: target.id }) }
    const applied = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const changed = transaction(ctx, async (tx) => {
      const job = await changeMany(tx, workspaceId, change, by)
      applied.resolve()
      await goOn.promise
      return job
    })
    await applied.promise
    const meanwhile = await plan()
    goOn.resolve()
    expect(meanwhile).toEqual(['again', 'send'])
    expect(await changed).toMatchObject({ changed: 1 })
    expect((await plan())[0]).toBe('asleep')
  },
)
