import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import { password, signIn } from '../../../server/test/browser.ts'
import { createMember } from '../../../server/test/people.ts'
import { enter } from '../application.ts'
import { test } from './fixture.ts'

const path = '/app/profile/sessions/revoke-others'

/** Has whatever page an attacker needs; to browsers another site by one name, by the other another origin. */
async function startElsewhere(document: string) {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(document),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origins: [`http://localhost:${port}`, `http://127.0.0.1:${port}`],
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

test('a page of another origin neither acts for who is signed in, nor reads, nor shows the application in a frame', async ({
  application: { api, address },
  browser,
}) => {
  const person = await createMember(api, 'lured@team.example', 'owner')
  const elsewhere = await signIn(api, { email: person.email, password })
  const isSignedIn = async () => (await elsewhere.call('GET', '/app/session')).body.user !== null
  using attacker = await startElsewhere(`<!doctype html><title>Elsewhere</title>
    <form method="post" action="${address}${path}" enctype="text/plain"><button>Win</button></form>
    <iframe src="${address}/w/default"></iframe>`)
  const context = await browser.newContext()
  await enter(context, address, person.browser)
  const page = await context.newPage()
  for (const origin of attacker.origins) {
    await page.goto(origin)
    expect(page.frames().map((frame) => frame.url())).not.toContain(`${address}/w/default`)
    const outcome = await page.evaluate(`(async () => {
      const ask = (init) => fetch('${address}${path}', { credentials: 'include', ...init })
        .then(() => 'answered', () => 'refused')
      return {
        read: await fetch('${address}/app/profile/sessions', { credentials: 'include' })
          .then((answer) => answer.text(), () => 'unreadable'),
        plain: await ask({ method: 'POST' }),
        asJson: await ask({ method: 'POST', headers: { 'content-type': 'application/json' } }),
        blind: await ask({ method: 'POST', mode: 'no-cors' }),
      }
    })()`)
    expect(outcome).toEqual({
      ...{ read: 'unreadable', plain: 'refused', asJson: 'refused' },
      // The page is told nothing; that nothing has come of it is seen below.
      blind: 'answered',
    })
    const [answer] = await Promise.all([
      page.waitForResponse(`${address}${path}`),
      page.getByRole('button', { name: 'Win' }).click(),
    ])
    expect(answer.status()).toBeGreaterThanOrEqual(400)
    expect(await isSignedIn()).toBe(true)
  }
  // The application itself is answered.
  await page.goto(`${address}/w/default`)
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  expect(await page.evaluate(`fetch('${path}', { method: 'POST' }).then(({ ok }) => ok)`)).toBe(
    true,
  )
  expect(await isSignedIn()).toBe(false)
  await context.close()
})
