import { type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { patience } from '../../../test/patience.ts'
import { createMember, createPerson } from '../../../test/people.ts'
import { operator } from '../audit/index.ts'
import { createKeyAsOperator, revokeKey } from '../keys/index.ts'

let api: TestApi
let address: string
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
  address = await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => api[Symbol.asyncDispose]())

async function read(answer: IncomingMessage) {
  const parts = await answer.setEncoding('utf8').toArray()
  const { code } = JSON.parse(parts.join('')) as { code?: string }
  return { status: answer.statusCode, code }
}

/** A POST whose body is held back, but for its first octet. */
function begin(path: string, headers: Record<string, string>, body: object) {
  const text = JSON.stringify(body)
  const answered = Promise.withResolvers<Awaited<ReturnType<typeof read>>>()
  const sent = request(`${address}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'content-length': text.length },
  })
  sent.on('error', answered.reject)
  sent.on('response', (answer) => answered.resolve(read(answer)))
  sent.write(text.slice(0, 1))
  return {
    finish() {
      sent.end(text.slice(1))
      return answered.promise
    },
  }
}

const inWorkspace = () => ({ 'x-workspace-id': api.workspaceId })

const cookieOf = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join('=')).join('; ')

/** Requests through the application's door, as many as a slow one needs to have passed it. */
async function passDoor() {
  for (let n = 0; n < 5; n++) await owner.call('GET', '/app/workspace', { headers: inWorkspace() })
}

const shutOut = {
  removed: (id: string) => owner.call('DELETE', `/app/members/${id}`, { headers: inWorkspace() }),
  'made a viewer': (id: string) =>
    owner.call('PATCH', `/app/members/${id}`, { body: { role: 'viewer' }, headers: inWorkspace() }),
  'signed out': async (id: string) => {
    const { peek } = api.ctx.database
    await peek.deleteFrom('user_sessions').where('user_id', '=', id).execute()
    return { status: 200 }
  },
}

test.each([
  ['removed', 403, 'workspace_mismatch'],
  ['made a viewer', 403, 'role_required'],
  ['signed out', 401, 'not_signed_in'],
] as const)(
  'who is %s while the body of a request is on its way makes nothing by it',
  async (how, status, code) => {
    const admin = await createMember(api, `${how.replaceAll(' ', '-')}@example.com`, 'admin')
    const headers = { ...inWorkspace(), cookie: cookieOf(admin.browser) }
    const key = { name: 'kept for later', scopes: ['all:all'] }
    const creating = begin('/app/oauth/service-accounts', headers, key)
    await passDoor()
    expect((await shutOut[how](admin.id)).status).toBe(200)
    expect(await creating.finish()).toEqual({ status, code })
  },
)

test('nor does an operator who is signed out meanwhile, outside of workspaces', async () => {
  const operator = await createPerson(api, { email: 'operator@example.com', isOperator: true })
  const making = begin(
    '/app/workspaces',
    { cookie: cookieOf(operator.browser) },
    { name: 'made late' },
  )
  await passDoor()
  await shutOut['signed out'](operator.id)
  expect(await making.finish()).toEqual({ status: 401, code: 'not_signed_in' })
})

test('nor does a key that is revoked meanwhile, and one that is not has its answer', async () => {
  const made = await createKeyAsOperator(api.ctx, api.workspaceId, {
    ...{ name: 'slow', scopes: ['campaigns:all'] },
  })
  const headers = { authorization: `Bearer ${made.key}` }
  const beginHere = (name: string) => begin('/api/v2/campaigns', headers, { name })
  const [first, second] = [beginHere('first'), beginHere('second')]
  const { peek } = api.ctx.database
  await expect
    .poll(async () => {
      const key = await peek
        .selectFrom('service_accounts')
        .select('timestamp_last_used')
        .where('id', '=', made.id)
        .executeTakeFirst()
      return key?.timestamp_last_used
    }, patience)
    .not.toBeNull()
  await passDoor()
  expect(await first.finish()).toMatchObject({ status: 201 })
  await revokeKey(api.ctx, api.workspaceId, made.id, operator)
  expect(await second.finish()).toEqual({ status: 401, code: 'revoked_key' })
})
