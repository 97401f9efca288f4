import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { describedApi } from './described-api.ts'
import { validRequest } from './requests.ts'
import { createWorld } from './world.ts'

const { api, receiver, document, operations } = await describedApi()

const named = new URL(receiver.url)
named.hostname = 'receiver.example.com'

// The context of every test refuses the network to whoever has a transaction open.
test.each(operations)(
  '$name asks nothing of the network while its transaction is open, with an Idempotency-Key either',
  async (described) => {
    const world = await createWorld(api, await api.createStranger(), named.href)
    const { url, body } = validRequest(document, described, world)
    const withKey = { 'idempotency-key': randomUUID() }
    for (const headers of described.method === 'POST' ? [{}, withKey, withKey] : [{}]) {
      const answer = await api.call(described.method, url, { body, headers, key: world.key })
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
    }
  },
)
