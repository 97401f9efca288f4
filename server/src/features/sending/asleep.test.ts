import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { putToSleep } from '../mailbox-lanes/index.ts'
import { Lane } from './lanes/lane.ts'
import { createWriters } from './lanes/writers.ts'
import { planLanes } from './next-mail/plan-lanes.ts'
import { RestoreGuard } from './restore-guard/restore-guard.ts'

let sending: Sending
beforeEach(async () => {
  sending = await testSending()
})
afterEach(() => sending[Symbol.asyncDispose]())

test('a mailbox does not sleep by what was read before its last result was in the ledger', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox('anna@example.com')
  const writers = createWriters(ctx, new RestoreGuard(ctx), new Date(0))
  const lane = new Lane(workspaceId, id, '0')
  const plan = async () => (await planLanes(ctx, [lane], writers)).get(lane)?.kind

  lane.settling.add(Promise.resolve())
  const planning = plan()
  // It comes in while the plan is made.
  lane.settling.clear()
  expect(await planning).toBe('settle')
  expect(await plan()).toBe('asleep')
})

test('a mailbox is not put to sleep by a runner that it was taken from', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox('anna@example.com')
  const { peek } = ctx.database
  const { seq } = await peek.selectFrom('mailbox_lanes').select('seq').executeTakeFirstOrThrow()
  await peek.updateTable('mailbox_lanes').set({ token: '2' }).execute()
  const sleep = (token: string) =>
    putToSleep(ctx.db, [
      { ...{ workspace_id: workspaceId, mailbox_id: id, token, seq, wake_at: null }, rests: false },
    ])
  expect(await sleep('1')).toEqual(new Set())
  expect(await sleep('2')).toEqual(new Set([id]))
})
