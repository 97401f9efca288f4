import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { type Answer, answerWith, startReceiver } from '../../../test/receiver.ts'
import { createOutboundHttp } from '../outbound/index.ts'
import { requestAccessToken } from './index.ts'

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
  return {
    receiver,
    ctx: { ...base, http },
    grant: {
      token_url: `${receiver.url}/token`,
      client_id: 'client',
      client_secret: 's&cret',
      refresh_token: 'refresh',
    },
    async [Symbol.asyncDispose]() {
      await http.close()
      await receiver.close()
    },
  }
}

test('a token is asked for as the standard says, and told to end before it does', async () => {
  const long = 'x'.repeat(4000)
  await using at = await provider(token({ access_token: long, expires_in: 1800 }))
  const { ctx, grant, receiver } = at
  expect(await requestAccessToken(ctx, grant)).toEqual({
    accessToken: long,
    refreshToken: null,
    expiresAt: new Date(ctx.now().getTime() + 1_680_000),
  })
  expect(Object.fromEntries(new URLSearchParams(String(receiver.requests[0]?.body)))).toEqual({
    ...{ grant_type: 'refresh_token', refresh_token: 'refresh' },
    ...{ client_id: 'client', client_secret: 's&cret' },
  })
})

test('a refresh token that replaces the old one is told', async () => {
  await using at = await provider(token({ access_token: 'one', refresh_token: 'second' }))
  expect(await requestAccessToken(at.ctx, at.grant)).toMatchObject({ refreshToken: 'second' })
})

test.each<[string, Answer, object]>([
  [
    'a withdrawn consent',
    answerWith(400, '{"error": "invalid_grant"}'),
    { kind: 'refused', response: 'invalid_grant' },
  ],
  ['a provider in trouble', answerWith(503, 'oops'), { kind: 'protocol', response: null }],
  [
    'a provider in trouble that says so with the status of a refusal',
    answerWith(400, '{"error": "temporarily_unavailable"}'),
    { kind: 'protocol', response: 'temporarily_unavailable' },
  ],
  ['a page instead of an answer', answerWith(200, '<html>'), { kind: 'protocol' }],
  [
    'a token that would end the login line',
    token({ access_token: 'a\u0001b' }),
    { kind: 'protocol' },
  ],
])('%s is a failed login', async (_what, answer, failure) => {
  await using at = await provider(answer)
  await expect(requestAccessToken(at.ctx, at.grant)).rejects.toMatchObject({
    ...{ stage: 'login', ...failure },
  })
})

test('the provider of a login is reached only where the policy allows', async () => {
  await using at = await provider(token({ access_token: 'one' }))
  const http = createOutboundHttp({ policy: { mode: 'public', allow: [] } })
  await expect(requestAccessToken({ ...at.ctx, http }, at.grant)).rejects.toMatchObject({
    ...{ stage: 'login', kind: 'blocked' },
  })
  await http.close()
  expect(at.receiver.requests).toEqual([])
})
