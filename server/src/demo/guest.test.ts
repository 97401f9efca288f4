import { expect, test } from 'vitest'
import { testContext } from '../../test/context.ts'
import { buildApi } from '../app.ts'
import { insertInstance } from '../kernel/db/instance.ts'
import { inviteGuest } from './guest.ts'

test('the link of the sandbox signs in its owner as often as it is opened, and no other link does', async () => {
  await using ctx = await testContext()
  await ctx.useRealTime()
  await insertInstance(ctx.db, {
    ...{ id: ctx.newId(), secret_key_id: ctx.secrets.keyId, timestamp_created: ctx.now() },
  })
  const { path, routes } = await inviteGuest(ctx)
  const app = await buildApi(ctx, { plugin: routes })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => app.close())

  const whoOpens = async (url: string) => {
    const { statusCode, headers } = await app.inject({ url })
    const cookie = [headers['set-cookie']].flat().map((each) => each?.split(';')[0])
    const session = await app.inject({
      url: '/app/session',
      headers: { cookie: cookie.filter((each) => each !== undefined).join('; ') },
    })
    return { statusCode, location: headers.location, email: session.json().user?.email }
  }
  const owner = { statusCode: 302, location: '/', email: 'guest@outreach.example' }
  expect(await whoOpens(path)).toEqual(owner)
  expect(await whoOpens(path)).toEqual(owner)
  const other = `${path.slice(0, -1)}${path.endsWith('A') ? 'B' : 'A'}`
  expect(await whoOpens(other)).toMatchObject({ statusCode: 404, email: undefined })
})
