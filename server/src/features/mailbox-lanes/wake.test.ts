import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { createSignal } from '../../../test/signal.ts'
import type { Context } from '../../kernel/context.ts'
import { listen } from '../../kernel/db/listen.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { hintChannel, hintDue, readHint } from '../../kernel/runner/hint.ts'
import { bucketCount, bucketOf } from '../../kernel/runner/leases.ts'
import {
  campaignKind,
  createMarkedWaker,
  leaseKind,
  markLeadsDue,
  wakeMailboxes,
  wakeWorkspaceMailboxes,
} from './index.ts'

let sending: Sending
let unlisten: () => Promise<void>
const heard: string[] = []
const hinted = createSignal()

beforeEach(async () => {
  sending = await testSending()
  const { ctx } = sending
  const hear = (hint: string) => {
    heard.push(hint)
    hinted.raise()
  }
  unlisten = await listen(ctx.database.url, hintChannel, hear, ctx.log)
})
afterEach(async () => {
  await unlisten()
  await sending[Symbol.asyncDispose]()
})

/** The buckets whose owners the next hint is for. */
async function bucketsHinted(act: () => Promise<unknown>, kind = leaseKind): Promise<number[]> {
  // Hints come in the order in which they were given: what was to be said before has been said.
  hintDue(sending.ctx)
  await hinted.until(() => heard.includes(''))
  heard.length = 0
  await act()
  const all = Array.from({ length: bucketCount }, (_, bucket) => bucket)
  // Pages are told over the same channel, when their time has come.
  const hint = await hinted.until(() => heard.find((each) => readHint(each, kind, all)))
  return all.filter((bucket) => readHint(hint, kind, [bucket]))
}

const inOrder = (ids: string[]) => [...new Set(ids.map(bucketOf))].sort((a, b) => a - b)

test('only the owners of mailboxes that were woken are told', async () => {
  const { ctx, workspaceId } = sending
  const anna = await sending.createMailbox('anna@example.com')
  const bert = await sending.createMailbox('bert@example.com')
  const campaign = await sending.createCampaign([bert])
  const change = (work: (tx: Context) => Promise<void>) => () => transaction(ctx, work)

  const one = change((tx) => wakeMailboxes(tx, workspaceId, [anna.id]))
  expect(await bucketsHinted(one)).toEqual(inOrder([anna.id]))
  const all = change((tx) => wakeWorkspaceMailboxes(tx, workspaceId))
  expect(await bucketsHinted(all)).toEqual(inOrder([anna.id, bert.id]))
  // One runner is enough to wake the mailboxes of a campaign.
  const leads = change((tx) => markLeadsDue(tx, workspaceId, [campaign.id]))
  expect(await bucketsHinted(leads, campaignKind)).toEqual(inOrder([campaign.id]))
  expect(await bucketsHinted(createMarkedWaker(ctx))).toEqual(inOrder([bert.id]))
})
