import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { startMailServers } from '../../../test/mail/mail-servers.ts'
import { createRealMailbox } from '../../../test/mail/mailboxes.ts'
import { MailFailure } from '../../kernel/mail/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { type TestStep, testMailbox } from './index.ts'

let ctx: TestContext
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
  ctx.lookupText = async () => []
})
afterAll(() => ctx[Symbol.asyncDispose]())

const workspace = async () => {
  workspaceId = (await createWorkspace(ctx, ctx.newId())).id
  return workspaceId
}

const of = (steps: TestStep[]) => Object.fromEntries(steps.map(({ step, ...rest }) => [step, rest]))

test('a mailbox that works sends itself a mail and finds it', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  const told: TestStep[] = []
  const { works, steps, mailbox } = await testMailbox(ctx, workspaceId, id, {
    tell: (step) => void told.push(step),
  })
  expect({ works, status: mailbox.status }).toEqual({ works: true, status: 'connected' })
  expect(steps.map(({ step, status }) => [step, status])).toEqual([
    ...[
      ['SPF', 'warn'],
      ['DKIM', 'warn'],
      ['DMARC', 'warn'],
    ],
    ['links', 'ok'],
    ...[
      ['imap login', 'ok'],
      ['smtp login', 'ok'],
      ['folders', 'ok'],
    ],
    ...[
      ['sending', 'ok'],
      ['arrival', 'ok'],
    ],
  ])
  expect(told).toEqual(steps)
  const [mail] = servers.anna.folders.get('INBOX')?.mails ?? []
  expect(mail?.source.toString()).toMatch(
    /^From: <anna@example\.com>\r\nTo: <anna@example\.com>\r\n/,
  )
})

test('a test that breaks off leaves no connection open', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  let open = 0
  const connectImap: typeof ctx.mail.connectImap = async (...server) => {
    const connection = await ctx.mail.connectImap(...server)
    open++
    const close = connection[Symbol.asyncDispose].bind(connection)
    connection[Symbol.asyncDispose] = async () => {
      open--
      await close()
    }
    return connection
  }
  const connectSmtp = () => Promise.reject(new Error('The database is away.'))
  const broken = { ...ctx, mail: { ...ctx.mail, connectImap, connectSmtp } }
  await expect(testMailbox(broken, workspaceId, id)).rejects.toThrow('The database is away.')
  expect(open).toBe(0)
})

test('a mailbox whose recipients reach no link is told what to set', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  await ctx.database.peek.updateTable('mailboxes').set({ sends_locally: false }).execute()
  const { works, steps } = await testMailbox(ctx, workspaceId, id)
  expect(works).toBe(true)
  expect(of(steps).links).toMatchObject({
    status: 'warn',
    remedy: expect.stringContaining('Set TRACKING_URL'),
  })
})

test('a mail that is put into junk is found there', async () => {
  await using servers = await startMailServers()
  const { anna, store } = servers
  store.file = (account, source) => {
    account.folders.get('Junk')?.add(source, new Date())
  }
  const { id } = await createRealMailbox(ctx, await workspace(), servers, anna)
  const { works, steps } = await testMailbox(ctx, workspaceId, id)
  expect(works).toBe(true)
  expect(of(steps).arrival).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining('in the junk folder'),
  })
})

test('a mail that does not come back is a failure', async () => {
  await using servers = await startMailServers()
  servers.store.file = () => undefined
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  const { works, steps } = await testMailbox(ctx, workspaceId, id, { arrivalMs: 200 })
  expect(works).toBe(false)
  expect(of(steps).arrival).toMatchObject({ status: 'fail' })
})

test('a wrong password is told with what to do, and is the state of the mailbox', async () => {
  await using servers = await startMailServers()
  const account = { address: servers.anna.address, password: 'wrong' }
  const { id } = await createRealMailbox(ctx, await workspace(), servers, account)
  const { works, steps, mailbox } = await testMailbox(ctx, workspaceId, id)
  expect(works).toBe(false)
  expect(of(steps)).toMatchObject({
    'imap login': { status: 'fail', remedy: expect.stringContaining('app password') },
    'smtp login': { status: 'fail' },
  })
  expect(mailbox).toMatchObject({
    status: 'error',
    status_reason: expect.stringContaining('(IMAP) refused the user name or the password'),
  })
})

test('a login that is one too many is told, and is no error of the mailbox', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  const response = '[UNAVAILABLE] Maximum number of connections from user+IP exceeded'
  const connectImap = () => Promise.reject(new MailFailure('login', 'refused', { response }))
  const full = { ...ctx, mail: { ...ctx.mail, connectImap } }
  const { works, steps, mailbox } = await testMailbox(full, workspaceId, id)
  expect(works).toBe(false)
  expect(of(steps)['imap login']).toMatchObject({
    ...{ status: 'fail', detail: expect.stringContaining('no more logins for the moment') },
  })
  expect(mailbox).toMatchObject({ status: 'connected', status_reason: null })
})

test('a mailbox in error that works again is connected', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(ctx, await workspace(), servers, servers.anna)
  const { password } = servers.anna
  servers.anna.password = 'another'
  expect((await testMailbox(ctx, workspaceId, id)).mailbox.status).toBe('error')
  servers.anna.password = password
  expect((await testMailbox(ctx, workspaceId, id)).mailbox).toMatchObject({
    ...{ status: 'connected', status_reason: null },
  })
})

test('a provider without the usual folders is a warning', async () => {
  await using servers = await startMailServers()
  const { store } = servers
  const account = store.addAccount({ address: 'bare@example.com', password: 'x', folders: {} })
  const { id } = await createRealMailbox(ctx, await workspace(), servers, account)
  const { works, steps } = await testMailbox(ctx, workspaceId, id)
  expect(works).toBe(true)
  expect(of(steps).folders).toMatchObject({
    ...{ status: 'warn', detail: 'no folder for junk and sent was found' },
  })
})

test('there is no testing what another workspace has', async () => {
  await expect(testMailbox(ctx, await workspace(), ctx.newId())).rejects.toMatchObject({
    code: 'not_found',
  })
})
