import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { annasToken, startMailServers } from '../../../test/mail/mail-servers.ts'
import { type Answer, startReceiver } from '../../../test/receiver.ts'
import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { createOutboundHttp } from '../../kernel/outbound/index.ts'
import { operator } from '../audit/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import {
  addMailbox,
  connectMailboxImap,
  connectMailboxSmtp,
  explainFailure,
  findMailboxes,
  openMailbox,
  reportMailboxError,
  updateMailbox,
} from './index.ts'

let base: TestContext
let workspaceId: string

beforeAll(async () => {
  base = await testContext()
  workspaceId = (await createWorkspace(base, 'acme')).id
})
afterAll(() => base[Symbol.asyncDispose]())

/** A provider whose tokens are `answers`, in turn, and a mailbox that logs in by them. */
async function withConsent(answers: object[] | Answer) {
  const stack = new AsyncDisposableStack()
  const servers = stack.use(await startMailServers())
  const provider = stack.use(
    await startReceiver((received, response) => {
      if (typeof answers === 'function') return answers(received, response)
      response.end(JSON.stringify(answers[provider.requests.length - 1]))
    }),
  )
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] } })
  stack.defer(() => http.close())
  const ctx = { ...base, http }
  const oauth2 = { token_url: provider.url, client_id: 'client', refresh_token: 'first' }
  const login = { host: '127.0.0.1', security: 'none', username: 'anna@example.com', oauth2 }
  const { id } = await addMailbox(
    ctx,
    workspaceId,
    {
      address: `anna-${ctx.newId()}@example.com`,
      smtp: { ...login, port: servers.smtpPort },
      imap: { ...login, port: servers.imapPort },
    },
    operator,
  )
  return { ctx, id, provider, servers, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

/** A provider that takes each refresh token once. `tokens` are those that it was asked with. */
async function withSpentTokens() {
  let valid: string | null = 'first'
  let made = 0
  const tokens: string[] = []
  const given = await withConsent((received, response) => {
    const token = new URLSearchParams(String(received.body)).get('refresh_token')
    tokens.push(String(token))
    if (token !== valid) {
      response.statusCode = 400
      response.end(JSON.stringify({ error: 'invalid_grant' }))
      return
    }
    valid = `token ${++made}`
    const answer = { access_token: `access-${made}`, refresh_token: valid, expires_in: 3600 }
    response.end(JSON.stringify(answer))
  })
  const withdraw = () => {
    valid = null
  }
  return Object.assign(given, { tokens, withdraw })
}

const tokenOf = async (opening: ReturnType<typeof openMailbox>) => {
  const { credential } = (await opening).server
  return credential.kind === 'oauth2' ? credential.accessToken : undefined
}

const report = (ctx: Context, id: string, failure: MailFailure) =>
  transaction(ctx, (tx) => reportMailboxError(tx, workspaceId, id, 'smtp', failure))

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

test('an access token that the server refuses and the provider gives again is a refused login', async () => {
  await using given = await withConsent([
    { access_token: annasToken },
    { access_token: annasToken },
    { access_token: 'never asked for' },
  ])
  const { ctx, id, servers, provider } = given
  await (await connectMailboxSmtp(ctx, workspaceId, id)).connection.close()
  servers.anna.accessToken = 'another'
  const refused = connectMailboxSmtp(ctx, workspaceId, id)
  await expect(refused).rejects.toMatchObject({ stage: 'login', kind: 'refused' })
  expect(provider.requests).toHaveLength(2)
})

test.each([
  ['smtp', '535 5.7.3 Authentication unsuccessful'],
  ['smtp', '535 5.7.139 Authentication unsuccessful, SmtpClientAuthentication is disabled.'],
  ['imap', 'AUTHENTICATE failed.'],
] as const)(
  'a consent that the %s server refuses with “%s” is not told as a wrong password',
  async (side, response) => {
    await using given = await withConsent([{ access_token: annasToken }])
    const code = side === 'smtp' ? 535 : null
    const refuse = () => Promise.reject(new MailFailure('login', 'refused', { response, code }))
    const ctx = { ...given.ctx, mail: { connectSmtp: refuse, connectImap: refuse } }
    const connect = side === 'smtp' ? connectMailboxSmtp : connectMailboxImap
    const failure = await connect(ctx, workspaceId, given.id).catch((error: MailFailure) => error)
    const { what, remedy } = explainFailure(failure as MailFailure, side)
    expect(what).toContain('although the consent to use this mailbox stands')
    expect(`${what} ${remedy}`).not.toMatch(/password|oauth2/)
  },
)

test.each([1, 60, 120, 1e300])('an access token of %d s is used', async (expires_in) => {
  const answer = { access_token: 'one', expires_in }
  await using given = await withConsent([answer, { access_token: 'never asked for' }])
  const { id, provider } = given
  // Whatever it does takes a second: the shortest has expired before it is looked at.
  let looks = 0
  const ctx = { ...given.ctx, now: () => new Date(base.now().getTime() + 1_000 * looks++) }
  expect(await tokenOf(openMailbox(ctx, workspaceId, id, 'smtp'))).toBe('one')
  expect(provider.requests).toHaveLength(1)
})

test('an access token serves until it is about to expire, for both servers and every process', async () => {
  await using given = await withConsent([
    { access_token: 'one', expires_in: 3600 },
    { access_token: 'two', expires_in: 3600 },
  ])
  const { id, provider } = given
  let laterMs = 0
  const process = () => ({ ...given.ctx, now: () => new Date(base.now().getTime() + laterMs) })
  const tokens = async () => [
    await tokenOf(openMailbox(process(), workspaceId, id, 'smtp')),
    await tokenOf(openMailbox(process(), workspaceId, id, 'imap')),
  ]
  expect(await tokens()).toEqual(['one', 'one'])
  laterMs = 3_400_000
  expect(await tokens()).toEqual(['one', 'one'])
  laterMs = 3_500_000
  expect(await tokens()).toEqual(['two', 'two'])
  expect(provider.requests).toHaveLength(2)
})

test('one consent for both servers lives on where each refresh token is taken once', async () => {
  await using given = await withSpentTokens()
  const { id } = given
  let laterMs = 0
  const ctx = { ...given.ctx, now: () => new Date(base.now().getTime() + laterMs) }
  for (let hour = 0; hour < 3; hour++) {
    laterMs = hour * 3_600_000
    const smtp = await tokenOf(openMailbox(ctx, workspaceId, id, 'smtp'))
    expect(await tokenOf(openMailbox(ctx, workspaceId, id, 'imap'))).toBe(smtp)
  }
  expect(given.tokens).toEqual(['first', 'token 1', 'token 2'])
})

test('a refresh token that the provider has replaced is stored, though the database is away when it comes', async () => {
  await using given = await withSpentTokens()
  const { id } = given
  const { peek } = base.database
  await sql`create sequence failures`.execute(peek)
  await sql`create function be_away() returns trigger language plpgsql as $$
    begin
      if nextval('failures') <= 2 then raise exception 'away' using errcode = '57P01'; end if;
      return new;
    end $$`.execute(peek)
  await sql`create trigger be_away before update of settings on mailboxes
    for each row execute function be_away()`.execute(peek)
  let [laterMs, pauses] = [0, 0]
  const sleep = async () => {
    pauses += 1
  }
  const ctx = { ...given.ctx, sleep, now: () => new Date(base.now().getTime() + laterMs) }
  expect(await tokenOf(openMailbox(ctx, workspaceId, id, 'smtp'))).toBe('access-1')
  expect(pauses).toBe(2)
  await sql`drop function be_away cascade`.execute(peek)
  laterMs = 3_600_000
  expect(await tokenOf(openMailbox(ctx, workspaceId, id, 'smtp'))).toBe('access-2')
  expect(given.tokens).toEqual(['first', 'token 1'])
})

test('processes that need a token at the same time spend one refresh token, and none fails', async () => {
  await using given = await withSpentTokens()
  const { ctx, id } = given
  const processes = Array.from({ length: 4 }, () => ({ ...ctx }))
  const opened = await Promise.all(
    processes.flatMap((process) => [
      tokenOf(openMailbox(process, workspaceId, id, 'smtp')),
      tokenOf(openMailbox(process, workspaceId, id, 'imap')),
    ]),
  )
  expect(new Set(opened)).toEqual(new Set(['access-1']))
  expect(given.tokens).toEqual(['first'])
})

test('a process that comes too late with a refresh token takes what another one made meanwhile', async () => {
  await using given = await withSpentTokens()
  const { ctx, id } = given
  const asked = Promise.withResolvers<void>()
  const goesOn = Promise.withResolvers<void>()
  const post: typeof ctx.http.post = async (request) => {
    asked.resolve()
    await goesOn.promise
    return ctx.http.post(request)
  }
  const late = tokenOf(
    openMailbox({ ...ctx, http: { ...ctx.http, post } }, workspaceId, id, 'smtp'),
  )
  await asked.promise
  // Its lease is over: another one asks, and the token that the first one has is spent.
  const other = { ...ctx, now: () => new Date(base.now().getTime() + 60_000) }
  expect(await tokenOf(openMailbox(other, workspaceId, id, 'imap'))).toBe('access-1')
  goesOn.resolve()
  expect(await late).toBe('access-1')
  expect(given.tokens).toEqual(['first', 'first'])
})

test('a consent that was withdrawn is an error of the mailbox; one that was given anew meanwhile is not', async () => {
  await using given = await withSpentTokens()
  const { ctx, id } = given
  const health = () => findMailboxes(ctx.db, workspaceId, [id])
  given.withdraw()
  const failure = await openMailbox(ctx, workspaceId, id, 'smtp').catch((error) => error)
  expect(failure).toMatchObject({ stage: 'login', kind: 'refused', response: 'invalid_grant' })
  const oauth2 = { token_url: given.provider.url, client_id: 'client', refresh_token: 'anew' }
  await updateMailbox(ctx, workspaceId, id, { smtp: { oauth2 } }, operator)
  await report(ctx, id, failure)
  expect(await health()).toMatchObject([{ status: 'connected' }])
  const again = await openMailbox(ctx, workspaceId, id, 'imap').catch((error) => error)
  await report(ctx, id, again)
  expect(await health()).toMatchObject([{ status: 'error' }])
})

test('a provider that gives no token is asked again by who opens next, without waiting', async () => {
  let asked = 0
  await using given = await withConsent((_, response) => {
    asked += 1
    response.statusCode = asked === 1 ? 503 : 200
    response.end(JSON.stringify(asked === 1 ? {} : { access_token: annasToken }))
  })
  const sleep = () => Promise.reject(new Error('It waited.'))
  const ctx = { ...given.ctx, sleep }
  await expect(openMailbox(ctx, workspaceId, given.id, 'smtp')).rejects.toThrow()
  expect(await tokenOf(openMailbox(ctx, workspaceId, given.id, 'smtp'))).toBe(annasToken)
  expect(asked).toBe(2)
})

test('where the servers have a consent each, tokens stay with their own', async () => {
  const tokens: string[] = []
  await using given = await withConsent((received, response) => {
    const token = String(new URLSearchParams(String(received.body)).get('refresh_token'))
    tokens.push(token)
    const next = {
      access_token: `access-${token}`,
      refresh_token: `${token}-next`,
      expires_in: 3600,
    }
    response.end(JSON.stringify(next))
  })
  const { id } = given
  const oauth2 = { token_url: given.provider.url, client_id: 'client', refresh_token: 'other' }
  await updateMailbox(given.ctx, workspaceId, id, { imap: { oauth2 } }, operator)
  for (const laterMs of [0, 3_600_000]) {
    const ctx = { ...given.ctx, now: () => new Date(base.now().getTime() + laterMs) }
    for (const server of ['smtp', 'imap'] as const) {
      await tokenOf(openMailbox(ctx, workspaceId, id, server))
    }
  }
  expect(tokens).toEqual(['first', 'other', 'first-next', 'other-next'])
})

test('there is no opening what another workspace has', async () => {
  await using given = await withConsent([])
  const other = await createWorkspace(base, base.newId())
  await expect(openMailbox(given.ctx, other.id, given.id, 'smtp')).rejects.toMatchObject({
    code: 'not_found',
  })
})
