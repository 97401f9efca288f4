import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../../test/sending.ts'
import { listen } from '../../../kernel/db/listen.ts'
import { hintChannel } from '../../../kernel/runner/hint.ts'
import type { Scope } from '../../../kernel/runner/leader.ts'
import { MailboxOwner } from '../../mailbox-lanes/index.ts'
import { startSendingRunner } from '../index.ts'

let sending: Sending
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  sending = await testSending()
})
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop()
  await sending[Symbol.asyncDispose]()
})

/** Whoever is the first owns all mailboxes, for as long as this test takes. */
async function startRunner(scope: Scope) {
  const { ctx } = sending
  const own = {
    ...ctx,
    config: { ...ctx.config, leaseMs: 86_400_000 },
    sleep: (ms: number, signal?: AbortSignal) =>
      wait(ms > 3_600_000 ? ms : Math.min(ms, 30), undefined, signal ? { signal } : {}).catch(
        () => undefined,
      ),
  }
  const owner = new MailboxOwner(own)
  const runner = await startSendingRunner(own, owner, {
    scope: () => scope,
    listen: (onHint) => listen(ctx.database.url, hintChannel, onHint, ctx.log),
  })
  stops.push(async () => {
    await runner.stop()
    await owner.stop()
  })
  return owner
}

test('the leader tells of uncertain mails, and the owner of their mailbox looks for them', async () => {
  const { ctx, workspaceId } = sending
  const { peek, until } = ctx.database
  const { id: mailbox_id } = await sending.createMailbox('anna@example.com')
  const owner = await startRunner('none')
  await until(() => owner.buckets().length === 256)
  const now = ctx.now()
  await peek
    .insertInto('sends')
    .values({
      ...{ workspace_id: workspaceId, mailbox_id, lead_id: ctx.newId(), step_id: ctx.newId() },
      ...{
        id: ctx.newId(),
        campaign_id: ctx.newId(),
        variant_id: ctx.newId(),
        step: 1,
        variant: 1,
      },
      ...{ message_id: '<1@x.example>', starts_thread: true, state: 'uncertain', claim_token: 0 },
      ...{ is_new: true, campaign_day: '2026-11-20', mailbox_day: '2026-11-20' },
      ...{ timestamp_claimed: now, timestamp_transmitting: now, look_at: now },
    })
    .execute()
  const leader = await startRunner('all')
  // Its server cannot be reached, so it is looked for again later.
  await until(async () => {
    const { look_at } = await peek.selectFrom('sends').select('look_at').executeTakeFirstOrThrow()
    return look_at !== null && look_at > now
  })
  expect(leader.buckets()).toEqual([])
})
