import { setUpPath } from '../../server/src/features/sign-in/index.ts'
import { launchMeasuredBrowser } from '../../web/test/browser.ts'
import { type Child, startRole } from '../child.ts'
import { type BenchService, openService } from '../service.ts'

type Browser = Awaited<ReturnType<typeof launchMeasuredBrowser>>
export type Page = Awaited<ReturnType<Browser['newPage']>>

export interface ApplicationBench extends AsyncDisposable {
  service: BenchService
  api: Child
  runner: Child
  /** Of who has set up. */
  cookie: string
  /** As it is opened for the first time: nothing is in the browser's cache. */
  openPage: () => Promise<Page>
  /** Sends a request below /app with the session's cookie. */
  ask: (method: string, path: string, body?: object) => Promise<Response>
}

const person = {
  name: 'Bench',
  email: 'bench@example.com',
  password: 'correct horse battery staple',
}

export async function openApplicationBench(): Promise<ApplicationBench> {
  const stack = new AsyncDisposableStack()
  const service = stack.use(await openService())
  const api = stack.use(await startRole('api', service))
  const runner = stack.use(await startRole('runner', service))
  const cookie = await setUp(service, api.address)
  const browser = stack.adopt(await launchMeasuredBrowser(), (launched) => launched.close())
  return {
    ...{ service, api, runner, cookie },
    async openPage() {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
      context.setDefaultTimeout(120_000)
      await context.addCookies(
        cookie.split('; ').map((pair) => {
          const [name = '', value = ''] = pair.split(/=(.*)/s)
          return { name, value, domain: '127.0.0.1', path: '/app', httpOnly: true }
        }),
      )
      return context.newPage()
    },
    ask: (method, path, body) =>
      fetch(`${api.address}/app${path}`, {
        method,
        headers: {
          ...{ cookie, 'x-workspace-id': service.workspaceId, 'sec-fetch-site': 'same-origin' },
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function setUp({ ctx }: BenchService, address: string): Promise<string> {
  const token = (await setUpPath(ctx))?.split('#')[1]
  return cookieOf(await post(address, '/app/set-up', { ...person, token }))
}

/** Whoever this is, as a browser sends it. */
export const signIn = async (address: string, email: string): Promise<string> =>
  cookieOf(await post(address, '/app/session', { email, password: person.password }))

export const password = person.password

async function post(address: string, path: string, body: object): Promise<Response> {
  const answer = await fetch(`${address}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 200) throw new Error(await answer.text())
  return answer
}

const cookieOf = ({ headers }: Response) =>
  headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ')

export async function createCampaign({ ask }: ApplicationBench, name: string): Promise<string> {
  const answer = await ask('POST', '/api/v2/campaigns', { name })
  return ((await answer.json()) as { id: string }).id
}

/** One that nothing is due for. */
export async function createWebhook({
  ask,
}: ApplicationBench): Promise<{ webhookId: string; url: string }> {
  const url = 'https://example.com/hook'
  const input = { name: 'bench', target_hook_url: url, event_type: 'lead.interested' }
  const answer = await ask('POST', '/api/v2/webhooks', input)
  return { webhookId: ((await answer.json()) as { id: string }).id, url }
}
