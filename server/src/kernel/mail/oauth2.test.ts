import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { type Answer, answerWith, startReceiver } from '../../../test/receiver.ts'
import { createOutboundHttp } from '../outbound/index.ts'
import { getAccessToken } from './index.ts'

let base: TestContext
beforeAll(async () => {
  base = await testContext()
})
afterAll(() => base[Symbol.asyncDispose]())

const token = (fields: object) =>
  answerWith(200, JSON.stringify({ token_type: 'Bearer', expires_in: 3600, ...fields }))

/** A provider of logins, and a process that knows no token yet. */
async function provider(answer: Answer) {
  const receiver = await startReceiver(answer)
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] } })
  let elapsedMs = 0
  return {
    receiver,
    ctx: { ...base, http, monotonicMs: () => elapsedMs },
    grant: {
      token_url: `${receiver.url}/token`,
      client_id: 'client',
      client_secret: 's&cret',
      refresh_token: 'refresh',
    },
    advance: (ms: number) => {
      elapsedMs += ms
    },
    async [Symbol.asyncDispose]() {
      await http.close()
      await receiver.close()
    },
  }
}

test('a token is asked for as the standard says, and used until it is about to expire', async () => {
  const long = 'x'.repeat(4000)
  await using at = await provider(token({ access_token: long }))
  const { ctx, grant, receiver } = at
  expect(await getAccessToken(ctx, grant)).toEqual({
    ...{ accessToken: long, refreshToken: null, isNew: true },
  })
  at.advance(3_400_000)
  expect(await getAccessToken(ctx, grant)).toMatchObject({ accessToken: long, isNew: false })
  expect(receiver.requests).toHaveLength(1)
  expect(Object.fromEntries(new URLSearchParams(String(receiver.requests[0]?.body)))).toEqual({
    ...{ grant_type: 'refresh_token', refresh_token: 'refresh' },
    ...{ client_id: 'client', client_secret: 's&cret' },
  })
  at.advance(100_000)
  expect(await getAccessToken(ctx, grant)).toMatchObject({ isNew: true })
  expect(await getAccessToken(ctx, grant, { renew: true })).toMatchObject({ isNew: true })
  expect(receiver.requests).toHaveLength(3)
})

test('who asks at the same time gets the same answer', async () => {
  await using at = await provider(token({ access_token: 'one' }))
  const asked = [{}, {}, { renew: true }].map((how) => getAccessToken(at.ctx, at.grant, how))
  await Promise.all(asked)
  expect(at.receiver.requests).toHaveLength(1)
})

test('a refresh token that replaces the old one is told, once', async () => {
  await using at = await provider(token({ access_token: 'one', refresh_token: 'second' }))
  const { refreshToken } = await getAccessToken(at.ctx, at.grant)
  expect(refreshToken).toBe('second')
  const next = await getAccessToken(at.ctx, { ...at.grant, refresh_token: 'second' })
  expect(next).toMatchObject({ isNew: false, refreshToken: null })
  expect(at.receiver.requests).toHaveLength(1)
})

test.each<[string, Answer, object]>([
  [
    'a withdrawn consent',
    answerWith(400, '{"error": "invalid_grant"}'),
    { kind: 'refused', response: 'invalid_grant' },
  ],
  ['a provider in trouble', answerWith(503, 'oops'), { kind: 'protocol', response: null }],
  ['a page instead of an answer', answerWith(200, '<html>'), { kind: 'protocol' }],
  [
    'a token that would end the login line',
    token({ access_token: 'a\u0001b' }),
    { kind: 'protocol' },
  ],
])('%s is a failed login, and is not remembered', async (_what, answer, failure) => {
  await using at = await provider(answer)
  for (let i = 0; i < 2; i++) {
    await expect(getAccessToken(at.ctx, at.grant)).rejects.toMatchObject({
      ...{ stage: 'login', ...failure },
    })
  }
  expect(at.receiver.requests).toHaveLength(2)
})

test('the provider of a login is reached only where the policy allows', async () => {
  await using at = await provider(token({ access_token: 'one' }))
  const http = createOutboundHttp({ policy: { mode: 'public', allow: [] } })
  await expect(getAccessToken({ ...at.ctx, http }, at.grant)).rejects.toMatchObject({
    ...{ stage: 'login', kind: 'blocked' },
  })
  await http.close()
  expect(at.receiver.requests).toEqual([])
})
