import { expect, test, vi } from 'vitest'
import { testDelivering } from '../../../test/delivering.ts'
import { insertPerson } from '../../../test/directory-rows.ts'
import { answerWith, hostile, startReceiver } from '../../../test/receiver.ts'
import { requestAccessToken } from '../../kernel/mail/index.ts'
import { createOutboundHttp } from '../../kernel/outbound/index.ts'
import { send } from './send.ts'

test('deliveries, test calls, the contact provider and tokens of logins have connections of their own each', async () => {
  await using receiver = await startReceiver(
    answerWith(200, '{"email": "ada@engine.example", "access_token": "token"}'),
  )
  await using service = await testDelivering({
    acquisitionProvider: { url: receiver.url, secret: 'secret', timeoutMs: 5000 },
  })
  const { ctx } = service
  const post = vi.spyOn(ctx.http, 'post')
  const { id } = await service.createWebhook(receiver.url)
  await service.emit()
  await service.waitForAttempts(id, 1)
  const tested = await service.call('POST', `/api/v2/webhooks/${id}/test`)
  const body = { contact_id: await insertPerson(ctx, { email: null }) }
  const revealed = await service.call('POST', '/api/v1/leadbank/acquire_email', { body })
  const client = { client_id: 'client', client_secret: 'secret', refresh_token: 'refresh' }
  await requestAccessToken(ctx, { token_url: receiver.url, ...client })
  expect([tested.status, revealed.status]).toEqual([200, 200])
  const uses = post.mock.calls.map(([{ use }]) => use)
  expect(uses).toHaveLength(4)
  // Each use has a pool of its own.
  expect(new Set(uses).size).toBe(4)
})

test.each(['deliveries', 'webhook tests'] as const)(
  'receivers of one database that hang hold no connection that %s of another need',
  async (use) => {
    await using stuck = await startReceiver(hostile.hangBeforeHeaders())
    await using healthy = await startReceiver()
    await using service = await testDelivering()
    const http = createOutboundHttp({ policy: { mode: 'any', allow: [] }, connectionsMax: 1 })
    const deliver = (shard: string, url: string) =>
      send(
        { ...service.ctx, http, shard },
        use,
        { url, headers: {}, secrets: [Buffer.alloc(32)], until: null },
        { id: service.ctx.newId(), body: '{}' },
      )
    const ended: string[] = []
    const hanging = deliver('first', stuck.url).then(() => ended.push('hanging'))
    await stuck.waitFor(1)
    await deliver('second', healthy.url).then(({ kind }) => ended.push(kind))
    expect(ended).toEqual(['response'])
    await stuck.dropConnections()
    await hanging
    await http.close()
  },
)
