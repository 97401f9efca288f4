import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import type { Attempt } from './delivery.ts'
import { countSuccesses, observeAttempt } from './observe.ts'

test('a delivery that succeeded is logged at debug, one that failed at info, without its detail', async () => {
  await using ctx = await testContext()
  const ids = { workspace_id: 'w', webhook_id: 'u', event_id: 'e', retry_group_id: 'd' }
  const attempt = { ...ids, event_type: 'lead.neutral', retry_count: 0, will_retry: true }
  const failed = { success: false, error_message: 'dns_error: intern.example', status_code: null }
  observeAttempt(ctx, { ...attempt, success: true, status_code: 200 } as Attempt)
  observeAttempt(ctx, { ...attempt, ...failed } as Attempt)
  const lines = ctx.logLines.map((line) => JSON.parse(line)).filter(({ event_id }) => event_id)
  expect(lines).toMatchObject([
    { level: 20, success: true },
    { level: 30, success: false, error: 'dns_error' },
  ])
})

test('how many succeeded is one line at info, and none for none', async () => {
  await using ctx = await testContext()
  const successes = countSuccesses(ctx)
  for (const success of [true, false, true]) successes.count({ success } as Attempt)
  for (let minute = 0; minute < 3; minute++) successes.tell()
  successes.count({ success: true } as Attempt)
  successes.tell()
  const lines = ctx.logLines.map((line) => JSON.parse(line)).filter((line) => 'succeeded' in line)
  expect(lines).toMatchObject([
    { level: 30, succeeded: 2 },
    { level: 30, succeeded: 1 },
  ])
})
