import { expect, test } from 'vitest'
import { testContext } from '../../../../test/context.ts'
import { CampaignCache } from '../next-mail/campaign-cache.ts'
import type { Settlement } from './settlement.ts'
import { Settlements } from './settlements.ts'

const megabyte = 1024 * 1024

/** What arrives waits without end: nothing is written. */
async function waitingSettlements() {
  await using ctx = await testContext()
  ctx.sleep = () => new Promise(() => undefined)
  const settlements = new Settlements(ctx, new CampaignCache())
  const add = (count: number, text: string, html: string | null = null) => {
    for (let n = 0; n < count; n++) {
      const mail = { text, html, cc_addresses: [], refused_copies: [], in_reply_to: null }
      const settlement: Settlement = {
        ...{ workspace_id: '', lead_id: '', step_id: '', id: '', campaign_id: '' },
        ...{ at: new Date(0), mailbox: '', recipient: '', threadSubject: null, gapSeconds: 0 },
        ...{ outcome: { kind: 'sent' }, mail: { ...mail, size_bytes: 0 } },
      }
      void settlements.add(settlement)
    }
  }
  return { settlements, add }
}

test('results that wait hold 32 MB of texts at most before mailboxes wait', async () => {
  const { settlements, add } = await waitingSettlements()
  const half = 'x'.repeat(megabyte / 2)
  add(31, half, half)
  add(1, half)
  expect(settlements.isBacklogFull).toBe(false)
  add(1, '', half)
  expect(settlements.isBacklogFull).toBe(true)
})

test('of small mails there are 2,000 at most', async () => {
  const { settlements, add } = await waitingSettlements()
  add(1_999, 'Hi')
  expect(settlements.isBacklogFull).toBe(false)
  add(1, 'Hi')
  expect(settlements.isBacklogFull).toBe(true)
})
