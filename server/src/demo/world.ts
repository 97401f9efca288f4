import { randomBytes } from 'node:crypto'
import { readConfig } from '../config.ts'
import { loadSample } from '../features/directory/index.ts'
import { createKeyAsOperator } from '../features/keys/index.ts'
import { defaultWorkspaceName, getWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace, type ProcessContext } from '../kernel/context.ts'
import { dayMs } from '../kernel/durations.ts'
import { createIdGenerator } from '../kernel/ids.ts'
import type { Log } from '../kernel/log.ts'
import { choosePort } from '../kernel/postgres/port.ts'
import { ensurePartitions } from '../partitions.ts'
import { openServer } from '../process/open.ts'
import { startServices } from '../process/services.ts'
import { type ApiClient, createApiClient } from './api-client.ts'
import { SandboxClock } from './clock.ts'
import type { SandboxSite } from './database.ts'
import { inviteGuest } from './guest.ts'
import { MailStore, startImapServer, startSmtpServer } from './mail-server/index.ts'
import type { MadeUpPerson } from './people/made-up.ts'
import { People } from './people/people.ts'
import { Postman } from './people/postman.ts'

export interface WorldOptions {
  site: SandboxSite
  people: MadeUpPerson[]
  /** Undefined: any that is free. */
  port: number | undefined
  daysAgo: number
  leapMs: number
  log: Log
  signal: AbortSignal
  onFailure: (error: unknown) => void
}

/** The whole product in one process, with a mail server and people around it. */
export interface World extends AsyncDisposable {
  ctx: ProcessContext
  clock: SandboxClock
  api: ApiClient
  address: string
  /** Opens the application, signed in. */
  guestLink: string
  key: string
  workspaceId: string
  store: MailStore
  smtpPort: number
  imapPort: number
  /** @returns the password of the new account of the mail server */
  openAccount: (address: string) => string
  /** Whoever is logged in there has to log in anew. */
  changePassword: (address: string) => void
}

export async function openWorld(options: WorldOptions): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const { site, log, signal } = options
  const config = readConfig({
    ...{ DATA_DIR: site.dataDir, DATABASE_URL: site.databaseUrl, OUTBOUND_POLICY: 'any' },
    PORT: String(await portFor(options.port)),
  })
  const opened = stack.use(await openServer(config, { log, signal }))
  const clock = new SandboxClock(opened.ctx, options)
  const ctx = inSandbox(opened.ctx, clock)
  await makePartitions(ctx, opened.ctx.now())
  await loadSample(ctx)

  const mail = await startMail(stack, ctx, clock, options.people)
  const guest = await inviteGuest(ctx)
  const services = stack.use(await startServices('main', { ...opened, ctx }, guest.routes))
  stack.defer(() => clock.stop())
  const { id: workspaceId } = await getWorkspace(ctx, defaultWorkspaceName)
  const wanted = { name: 'sandbox', scopes: ['all:*'] }
  const { key } = await createKeyAsOperator(inWorkspace(ctx, workspaceId), workspaceId, wanted)
  const address = services.address ?? config.apiUrl
  const owned = stack.move()
  return {
    ...{ ctx, clock, address, key, workspaceId, ...mail },
    guestLink: `${address}${guest.path}`,
    api: createApiClient(address, key),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** What is asked for or any that is free. */
async function portFor(wanted: number | undefined): Promise<number> {
  const port = await choosePort(wanted)
  if (wanted === undefined || port === wanted) return port
  throw new Error(`Port ${wanted} on 127.0.0.1 is taken: name another one with --port.`)
}

/** Fewer than a service makes ahead of its time. */
const partitionStepMs = 4 * dayMs

/** Up to the present at once: the clock leaps over the days on which a service makes the next ones. */
async function makePartitions({ db, now }: ProcessContext, present: Date) {
  for (let ms = now().getTime(); ms <= present.getTime(); ms += partitionStepMs) {
    const at = new Date(ms)
    await ensurePartitions({ db, now: () => at })
  }
}

/** The service on the sandbox's time; what others check by their own clocks has the real one. */
function inSandbox(ctx: ProcessContext, clock: SandboxClock): ProcessContext {
  const { now, sleep } = clock
  return { ...ctx, now, sleep, newId: createIdGenerator(now), worldTime: ctx.now }
}

async function startMail(
  stack: AsyncDisposableStack,
  ctx: ProcessContext,
  clock: SandboxClock,
  madeUp: MadeUpPerson[],
) {
  const store = new MailStore({ now: clock.now, onOutside: (mail) => people.receive(mail) })
  const smtp = stack.use(
    await startSmtpServer(store, {
      onRcptTo({ address }, _session, callback) {
        const refusal = people.refuse(address)
        if (!refusal) return callback()
        callback(Object.assign(new Error(refusal.sentence), { responseCode: refusal.code }))
      },
    }),
  )
  const imap = stack.use(await startImapServer(store))
  const openAccount = (address: string) => {
    const password = randomBytes(12).toString('base64url')
    store.addAccount({ address, password, keepsSent: true })
    return password
  }
  const outside = 'everybody@outside.example'
  const postman = new Postman(ctx.mail, {
    ...{ host: '127.0.0.1', port: smtp.port, security: 'none', username: outside },
    credential: { kind: 'password', password: openAccount(outside) },
  })
  stack.defer(() => postman.close())
  const people = new People(clock, madeUp, (letter) => postman.deliver(letter))
  const changePassword = (address: string) =>
    store.changePassword(address, randomBytes(12).toString('base64url'))
  return { store, openAccount, changePassword, smtpPort: smtp.port, imapPort: imap.port }
}
