import { expect, test } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { patience } from '../../test/patience.ts'
import { makeDataDir } from '../../test/processes.ts'
import { startReceiver } from '../../test/receiver.ts'
import { readConfig } from '../config.ts'
import { operator } from '../features/audit/index.ts'
import { addMailbox, openMailbox } from '../features/mailboxes/index.ts'
import { locateDefaultWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace } from '../kernel/context.ts'
import { createLog } from '../kernel/log.ts'
import { openServer } from './open.ts'
import { startServices } from './services.ts'

test('an API that stops stores the token that a provider is just asked for, first', async () => {
  await using database = await testDatabase()
  const settings = { DATABASE_URL: database.url, DATA_DIR: await makeDataDir(), PORT: '0' }
  const OUTRIDER_SECRET_KEY = Buffer.alloc(32).toString('base64')
  const config = readConfig({ ...settings, OUTRIDER_SECRET_KEY })
  await using opened = await openServer(config, { log: createLog('silent') })
  const { found } = await locateDefaultWorkspace(opened.ctx)
  const ctx = inWorkspace(opened.ctx, found.id)
  const answer = Promise.withResolvers<void>()
  const order: string[] = []
  await using provider = await startReceiver(async (_received, response) => {
    await answer.promise
    order.push('answered')
    response.end(JSON.stringify({ access_token: 'one', refresh_token: 'second' }))
  })
  const oauth2 = { token_url: provider.url, client_id: 'client', refresh_token: 'first' }
  const server = { host: '127.0.0.1', port: 1, security: 'none', username: 'anna', oauth2 }
  const added = { address: 'anna@example.com', smtp: server, imap: server }
  const { id } = await addMailbox(ctx, found.id, added, operator)
  const services = await startServices('api', opened)
  const opening = openMailbox(ctx, found.id, id, 'smtp')
  await provider.waitFor(1)
  const stopped = services[Symbol.asyncDispose]().then(() => order.push('stopped'))
  // One that does not wait for it ends now.
  const health = () =>
    fetch(`${services.address}/health`).then(
      () => 'up',
      () => 'down',
    )
  await expect.poll(health, patience).toBe('down')
  for (let looks = 0; looks < 50; looks++) await locateDefaultWorkspace(opened.ctx)
  answer.resolve()
  await stopped
  expect(order).toEqual(['answered', 'stopped'])
  const { server: login } = await opening
  expect(login.credential).toEqual({ kind: 'oauth2', accessToken: 'one' })
})
