import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { annasToken, startMailServers } from '../../../test/mail/mail-servers.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { createOutboundHttp } from '../../kernel/outbound/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { addMailbox, connectMailboxImap, connectMailboxSmtp, openMailbox } from './index.ts'

let base: TestContext
let workspaceId: string

beforeAll(async () => {
  base = await testContext()
  workspaceId = (await createWorkspace(base, 'acme')).id
})
afterAll(() => base[Symbol.asyncDispose]())

/** A provider whose tokens are `answers`, in turn, and a mailbox that logs in by them. */
async function withConsent(answers: object[]) {
  const stack = new AsyncDisposableStack()
  const servers = stack.use(await startMailServers())
  const provider = stack.use(
    await startReceiver((_received, response) => {
      response.end(JSON.stringify(answers[provider.requests.length - 1]))
    }),
  )
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] } })
  stack.defer(() => http.close())
  const ctx = { ...base, http }
  const oauth2 = { token_url: provider.url, client_id: 'client', refresh_token: 'first' }
  const login = { host: '127.0.0.1', security: 'none', username: 'anna@example.com', oauth2 }
  const { id } = await addMailbox(ctx, workspaceId, {
    address: `anna-${ctx.newId()}@example.com`,
    smtp: { ...login, port: servers.smtpPort },
    imap: { ...login, port: servers.imapPort },
  })
  return { ctx, id, provider, servers, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('both servers are reached with one access token', async () => {
  await using given = await withConsent([{ access_token: annasToken }])
  const { ctx, id, provider } = given
  const smtp = await connectMailboxSmtp(ctx, workspaceId, id)
  expect(smtp.mailbox).toMatchObject({ id, status: 'connected' })
  await smtp.connection.close()
  const { connection } = await connectMailboxImap(ctx, workspaceId, id)
  await connection[Symbol.asyncDispose]()
  expect(provider.requests).toHaveLength(1)
})

test('a token that was withdrawn before its time is replaced, once', async () => {
  await using given = await withConsent([
    { access_token: annasToken },
    { access_token: 'second' },
    { access_token: 'never valid' },
  ])
  const { ctx, id, servers, provider } = given
  await (await connectMailboxSmtp(ctx, workspaceId, id)).connection.close()
  servers.anna.accessToken = 'second'
  await (await connectMailboxSmtp(ctx, workspaceId, id)).connection.close()
  servers.anna.accessToken = 'third'
  await expect(connectMailboxSmtp(ctx, workspaceId, id)).rejects.toMatchObject({ stage: 'login' })
  expect(provider.requests).toHaveLength(3)
})

test('a refresh token that was replaced is kept, of that server and no other', async () => {
  await using given = await withConsent([{ access_token: annasToken, refresh_token: 'second' }])
  const { ctx, id } = given
  await openMailbox(ctx, workspaceId, id, 'smtp')
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] } })
  const later = { ...ctx, http }
  await openMailbox(later, workspaceId, id, 'smtp').catch(() => undefined)
  await openMailbox(later, workspaceId, id, 'imap').catch(() => undefined)
  await http.close()
  const tokens = given.provider.requests.map(({ body }) =>
    new URLSearchParams(String(body)).get('refresh_token'),
  )
  expect(tokens).toEqual(['first', 'second', 'first'])
})

test('there is no opening what another workspace has', async () => {
  await using given = await withConsent([])
  const other = await createWorkspace(base, base.newId())
  await expect(openMailbox(given.ctx, other.id, given.id, 'smtp')).rejects.toMatchObject({
    code: 'not_found',
  })
})
