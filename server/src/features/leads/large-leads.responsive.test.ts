import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { longestTurnMs } from '../../../test/longest-turn.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { exportLeads } from './lists/export-csv.ts'
import { readFilter } from './lists/filter.ts'
import * as queries from './queries.ts'
import { setStatuses } from './status/set-statuses.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

test('leads as large as they may be are exported in pieces and given a status, and hold nobody up', async () => {
  await using api = await testApi()
  const campaign = await api.call('POST', '/api/v2/campaigns', { body: { name: 'large' } })
  const text = 'Größe "XL", '.repeat(333)
  const custom_variables = Object.fromEntries(
    Array.from({ length: 100 }, (_, at) => [`variable ${at}`, text]),
  )
  for (let at = 0; at < 60; at += 10) {
    const leads = Array.from({ length: 10 }, (_, more) => ({
      ...{ email: `ann${at + more}@lead.example`, custom_variables },
    }))
    const body = { campaign_id: campaign.body.id, leads }
    expect((await api.call('POST', '/api/v2/lead/add', { body })).status).toBe(200)
  }
  const { ctx, workspaceId } = api
  let [bytes, longest] = [0, 0]
  const exportedMs = await longestTurnMs(heldMaxMs, async () => {
    const all = { ids: undefined, excluded: [] }
    for await (const piece of exportLeads(ctx, workspaceId, readFilter({}), all)) {
      bytes += Buffer.byteLength(piece)
      longest = Math.max(longest, piece.length)
    }
  })
  expect(bytes).toBeGreaterThan(60 * 400_000)
  expect(longest).toBeLessThan(1024 * 1024)
  expect(exportedMs).toBeLessThan(heldMaxMs)
  const rows = await ctx.database.peek.selectFrom('leads').select('id').execute()
  const changedMs = await longestTurnMs(heldMaxMs, () =>
    transaction(ctx, async (tx) => {
      const leads = await queries.lockLeads(
        tx.db,
        workspaceId,
        rows.map(({ id }) => id),
      )
      const status = { kind: 'builtin', status: 'interested' } as const
      expect((await setStatuses(tx, workspaceId, status, leads)).changed).toHaveLength(60)
    }),
  )
  expect(changedMs).toBeLessThan(heldMaxMs)
})
