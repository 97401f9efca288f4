import { setUpPath } from '../src/features/sign-in/index.ts'
import { findInstance, insertInstance } from '../src/kernel/db/instance.ts'
import type { Answer, TestApi } from './app.ts'

/** A browser at a page of the application: it keeps cookies, and sends what browsers send. */
export interface Browser {
  call: (
    method: string,
    url: string,
    options?: { body?: unknown; headers?: Record<string, string>; address?: string },
  ) => Promise<Answer>
  /** @returns where the answer leads to */
  visit: (url: string) => Promise<string>
  /** By name, without attributes. */
  cookies: Map<string, string>
  /** What the server set last, with attributes. */
  setCookies: () => string[]
}

export const password = 'correct horse battery staple'
export const owner = { name: 'Ann Example', email: 'ann@example.com', password }

export function openBrowser(api: TestApi): Browser {
  const cookies = new Map<string, string>()
  let latest: string[] = []
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (set: string[]) => {
    if (set.length > 0) latest = set
    for (const text of set) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      if (/max-age=0/i.test(text)) cookies.delete(name)
      else cookies.set(name, value)
    }
  }
  return {
    cookies,
    setCookies: () => latest,
    async visit(url) {
      const { headers } = await api.app.inject({ url, headers: { cookie: cookie() } })
      keep([headers['set-cookie'] ?? []].flat())
      return String(headers.location)
    },
    async call(method, url, options = {}) {
      const answer = await api.call(method, url, {
        ...options,
        key: null,
        headers: {
          'sec-fetch-site': 'same-origin',
          ...(cookies.size > 0 ? { cookie: cookie() } : {}),
          ...options.headers,
        },
      })
      keep([answer.headers['set-cookie'] ?? []].flat().map(String))
      return answer
    },
  }
}

/** The link that a first start prints, opened. */
export async function setUp(api: TestApi, more: { workspace?: string } = {}): Promise<Browser> {
  const browser = openBrowser(api)
  const token = await setUpToken(api)
  const answer = await browser.call('POST', '/app/set-up', { body: { ...owner, ...more, token } })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return browser
}

/** Undefined once somebody has set up. */
export async function setUpToken({ ctx }: TestApi): Promise<string | undefined> {
  if (!(await findInstance(ctx.db))) {
    const { keyId } = ctx.secrets
    await insertInstance(ctx.db, {
      ...{ id: ctx.newId(), secret_key_id: keyId, timestamp_created: ctx.now() },
    })
  }
  return (await setUpPath(ctx))?.split('#')[1]
}

export async function signIn(
  api: TestApi,
  account: { email: string; password: string },
  address = '127.0.0.1',
): Promise<Browser> {
  const browser = openBrowser(api)
  const body = { email: account.email, password: account.password }
  const answer = await browser.call('POST', '/app/session', { body, address })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  return browser
}

// What the pages of one-time links do.

const tokenOf = (link: string) => String(link.split('#')[1])

export const lookAtInvitation = (browser: Browser, link: string, address = '127.0.0.1') =>
  browser.call('POST', '/app/invitations/received', { body: { token: tokenOf(link) }, address })

/** @param account of somebody who has none yet */
export const acceptInvitation = (
  browser: Browser,
  link: string,
  account: { name?: string; password?: string } = {},
) => browser.call('POST', '/app/invitations/accept', { body: { token: tokenOf(link), ...account } })

export const resetPasswordBy = (
  browser: Browser,
  link: string,
  next: string,
  address = '127.0.0.1',
) => {
  const body = { token: tokenOf(link), password: next }
  return browser.call('POST', '/app/password-reset', { body, address })
}
