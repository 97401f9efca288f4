import { once } from 'node:events'
import { expect, test } from 'vitest'
import { testApi } from '../test/app.ts'
import { asService, type TestContext, testContext } from '../test/context.ts'
import { startReceiver } from '../test/receiver.ts'
import { operator } from './features/audit/index.ts'
import { emit } from './features/events/index.ts'
import { leaseKind } from './features/mailbox-lanes/index.ts'
import { addMailbox, openMailbox } from './features/mailboxes/index.ts'
import { createInvitation } from './features/members/index.ts'
import { setPlan } from './features/workspaces/index.ts'
import type { ProcessContext } from './kernel/context.ts'
import { transaction } from './kernel/db/transaction.ts'
import { dayMs } from './kernel/durations.ts'
import { startRunner } from './loops.ts'

test('a runner that fails to start leads nobody, keeps no mailboxes and hears nothing', async () => {
  await using ctx = await testContext()
  const { db, database } = ctx
  const runners = () => db.selectFrom('runners').select('id').where('kind', '=', leaseKind)
  let listeners = 0
  const listen = async () => {
    listeners += 1
    return async () => {
      listeners -= 1
    }
  }
  const unreadable = new Error('The marker cannot be read.')
  const marker = {
    ownsDatabase: false,
    async recall() {
      // By now it has begun to take mailboxes.
      await database.until(async () => (await runners().execute()).length === 1)
      throw unreadable
    },
    note: async () => undefined,
  }
  await expect(startRunner(ctx, { listen, marker })).rejects.toBe(unreadable)
  expect(listeners).toBe(0)
  expect(await runners().execute()).toEqual([])
  const kept = await db.selectFrom('bucket_leases').where('runner_id', 'is not', null)
  expect(await kept.select(['kind', 'bucket']).execute()).toEqual([])
})

test('a runner that stops stores the token that a provider is just asked for, first', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const { peek } = ctx.database
  ctx.clock.run()
  const answer = Promise.withResolvers<void>()
  const order: string[] = []
  await using provider = await startReceiver(async (_received, response) => {
    await answer.promise
    order.push('answered')
    response.end(JSON.stringify({ access_token: 'one', refresh_token: 'second' }))
  })
  const oauth2 = { token_url: provider.url, client_id: 'client', refresh_token: 'first' }
  const server = { host: '127.0.0.1', port: 1, security: 'none', username: 'anna', oauth2 }
  const added = { address: 'anna@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(ctx, workspaceId, added, operator)
  const runner = await startRunner(asService(ctx))
  await provider.waitFor(1)
  const stopped = runner.stop().then(() => order.push('stopped'))
  const runners = peek.selectFrom('runners').select('id').where('kind', '=', leaseKind)
  await ctx.database.until(async () => (await runners.execute()).length === 0)
  // One that does not wait ends now.
  for (let looks = 0; looks < 50; looks++) await runners.execute()
  answer.resolve()
  await stopped
  expect(order).toEqual(['answered', 'stopped'])
  const { server: opened } = await openMailbox(ctx, workspaceId, id, 'smtp')
  expect(opened.credential).toEqual({ kind: 'oauth2', accessToken: 'one' })
  expect(provider.requests).toHaveLength(1)
})

test('a runner tells in one line how many deliveries succeeded, of the last minute when it ends', async () => {
  await using receiver = await startReceiver()
  await using api = await testApi()
  const { ctx, workspaceId } = api
  ctx.clock.run()
  const body = { name: 'x', target_hook_url: receiver.url, event_type: 'all_events' }
  await api.call('POST', '/api/v2/webhooks', { body })
  const runner = await startRunner(asService(ctx))
  const event = {
    type: 'lead.neutral',
    campaign: null,
    leadEmail: 'ada@x.invalid',
    data: {},
  } as const
  await transaction(ctx, (tx) => emit(tx, workspaceId, [event, event]))
  await receiver.waitFor(2)
  await runner.stop()
  const lines = ctx.logLines.map((line) => JSON.parse(line))
  const told = lines.filter(({ msg }) => msg === 'deliveries succeeded')
  expect(told.every(({ level }) => level === 30)).toBe(true)
  expect(told.reduce((sum, { succeeded }) => sum + succeeded, 0)).toBe(2)
})

test('an invitation that nobody has accepted is deleted 30 days after it has expired, and not before', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const invite = (email: string) =>
    createInvitation(ctx, workspaceId, { email, role: 'viewer' }, operator)
  await invite('first@example.com')
  ctx.clock.advance(dayMs)
  await invite('second@example.com')
  // Each is good for seven days.
  const { later, settle } = afterDays(ctx, 36.5)
  settle()
  const runner = await startRunner(later)
  const { peek, until } = ctx.database
  const kept = () => peek.selectFrom('invitations').select('email').execute()
  await until(async () => (await kept()).length < 2)
  await runner.stop()
  expect(await kept()).toEqual([{ email: 'second@example.com' }])
})

test('a clock that is months ahead for the first minutes of a machine deletes nothing and grants nothing', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const { peek, until } = ctx.database
  const invited = { email: 'first@example.com', role: 'viewer' } as const
  await createInvitation(ctx, workspaceId, invited, operator)
  await setPlan(ctx, workspaceId, { monthlyCredits: 7 })
  const invitations = () => peek.selectFrom('invitations').select('email').execute()
  const entries = () =>
    peek.selectFrom('credit_entries').select('id').where('amount', '=', 7).execute()
  const { later, settle, asked } = afterDays(ctx, 90)
  const ahead = await startRunner(later)
  await asked
  await ahead.stop()
  expect([await invitations(), await entries()]).toEqual([[{ email: 'first@example.com' }], []])

  // What is as late after ten minutes is the time.
  settle()
  const runner = await startRunner(later)
  await until(async () => (await invitations()).length === 0 && (await entries()).length === 1)
  await runner.stop()
})

/** A machine on which it is later by so many days; `settle`: it has been running for ten minutes. */
function afterDays(ctx: TestContext, days: number) {
  const tenMinutes = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  const later: ProcessContext = {
    ...asService(ctx),
    now: () => new Date(ctx.now().getTime() + days * dayMs),
    async sleep(ms, signal) {
      if (ms !== 600_000) return ctx.sleep(ms, signal)
      asked.resolve()
      await Promise.race([tenMinutes.promise, signal && once(signal, 'abort')])
    },
  }
  return { later, settle: tenMinutes.resolve, asked: asked.promise }
}
