import type { Config } from '../src/config.ts'
import type {
  Attempt,
  DeliveryRunner,
  DeliveryRunnerOptions,
} from '../src/features/deliveries/index.ts'
import { startDeliveryRunner } from '../src/features/deliveries/index.ts'
import { emit, type NewEvent } from '../src/features/events/index.ts'
import { listen } from '../src/kernel/db/listen.ts'
import { transaction } from '../src/kernel/db/transaction.ts'
import { hintChannel } from '../src/kernel/runner/hint.ts'
import { type TestApi, testApi } from './app.ts'
import { asService } from './context.ts'
import { createSignal } from './signal.ts'

export interface Delivering extends TestApi {
  runner: DeliveryRunner
  /** Resolves with a destination's attempts, as written, once there are so many. */
  waitForAttempts: (webhookId: string, count: number) => Promise<Attempt[]>
  /** Resolves with their attempts once each of these destinations has one. */
  waitForEach: (webhookIds: Set<string>) => Promise<Attempt[]>
  /** From the database, first attempt first. */
  attemptsOf: (webhookId: string) => Promise<object[]>
  createWebhook: (url: string, more?: object) => Promise<{ id: string; signing_secret: string }>
  /** One event of the workspace, or several in one transaction. */
  emit: (events?: Partial<NewEvent>[]) => Promise<string[]>
}

/** The API and a runner on one private database, with the clock running. */
export async function testDelivering(
  overrides: Partial<Config> = {},
  options: Pick<DeliveryRunnerOptions, 'busyShare'> = {},
): Promise<Delivering> {
  const api = await testApi(overrides)
  api.ctx.clock.run()
  const attempts: Attempt[] = []
  const attemptsOf = (webhookIds: Set<string>) =>
    attempts.filter((attempt) => webhookIds.has(attempt.webhook_id))
  const written = createSignal()
  const runner = await startDeliveryRunner(asService(api.ctx), {
    ...options,
    listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
    onAttempt: (attempt) => {
      attempts.push(attempt)
      written.raise()
    },
  })
  return {
    ...api,
    runner,
    waitForAttempts: (webhookId, count) =>
      written.until(() => {
        const found = attemptsOf(new Set([webhookId]))
        return found.length >= count && found
      }),
    waitForEach: (webhookIds) =>
      written.until(() => {
        const found = attemptsOf(webhookIds)
        return new Set(found.map((attempt) => attempt.webhook_id)).size === webhookIds.size && found
      }),
    attemptsOf: (webhookId) =>
      api.ctx.database.peek
        .selectFrom('webhook_events')
        .selectAll()
        .where('webhook_id', '=', webhookId)
        .orderBy('id')
        .execute(),
    async createWebhook(url, more = {}) {
      const body = { name: 'test', target_hook_url: url, event_type: 'all_events', ...more }
      const answer = await api.call('POST', '/api/v2/webhooks', { body })
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body))
      return answer.body
    },
    emit: (events = [{}]) =>
      transaction(api.ctx, (tx) =>
        emit(
          tx,
          api.workspaceId,
          events.map((event) => ({
            type: 'lead.interested' as const,
            campaign: null,
            leadEmail: 'lead@example.com',
            data: {},
            ...event,
          })),
        ),
      ),
    async [Symbol.asyncDispose]() {
      await runner.stop(1_000)
      await api[Symbol.asyncDispose]()
    },
  }
}
