import type { BrowserContext } from 'playwright-core'
import { type Answer, type TestApi, testApi } from '../../server/test/app.ts'
import { owner, setUp, type Browser as Visitor } from '../../server/test/browser.ts'

export interface Application extends AsyncDisposable {
  api: TestApi
  /** Where the real server listens, on a database of its own. */
  address: string
  /** Signed in as the owner of the default workspace, once somebody has set up. */
  visitor: Visitor | undefined
  /** What the owner does in the default workspace. */
  asOwner: (method: string, path: string, body?: object) => Promise<Answer>
}

/** @param isSetUp false leaves it as a first start does */
export async function startApplication({ isSetUp = true } = {}): Promise<Application> {
  const api = await testApi()
  // The browser tells the machine's time.
  await api.ctx.useRealTime()
  const visitor = isSetUp ? await setUp(api) : undefined
  // The one with which tests of the API call it would be on the page of keys.
  const { body } = await api.call('GET', '/oauth/service-accounts')
  for (const { id } of body.items) await api.call('DELETE', `/oauth/service-accounts/${id}`)
  const address = await api.app.listen({ host: '127.0.0.1', port: 0 })
  return {
    ...{ api, address, visitor },
    async asOwner(method, path, body) {
      if (!visitor) throw new Error('Nobody has set up.')
      const headers = { 'x-workspace-id': api.workspaceId }
      return visitor.call(method, path, { ...(body ? { body } : {}), headers })
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

/** As if whoever this is had signed in with this browser. */
export async function enter(context: BrowserContext, address: string, { cookies }: Visitor) {
  const { hostname: domain } = new URL(address)
  await context.addCookies(
    [...cookies].map(([name, value]) => ({ name, value, domain, path: '/app', httpOnly: true })),
  )
}

export { owner }
