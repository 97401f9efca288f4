import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Account } from '../../src/demo/mail-server/index.ts'
import { startOutreach } from '../../test/outreach.ts'
import {
  makeDataDirWithDatabase,
  operatorJson,
  type ServiceProcess,
  startService,
} from '../../test/processes.ts'
import { createSignal } from '../../test/signal.ts'

const leads = 30
/** More than the connections to its database that a service has open while nobody asks for much. */
const requests = 8

test.runIf(process.platform === 'linux')(
  'SIGTERM to the whole process tree, PostgreSQL included, is a clean stop that repeats nothing',
  () =>
    stopUnderLoad(async ({ pid }) => {
      for (const each of treeOf(pid)) end(each)
    }),
)

test.runIf(process.platform === 'linux')(
  'SIGTERM to the process group, twice, ends what is under way first and PostgreSQL after it',
  async () => {
    const { refused, postgresLog } = await stopUnderLoad(async ({ pid, logged }) => {
      end(-pid)
      await logged('stopping')
      // A terminal and npm, or a supervisor and what it wraps the service in: each says it.
      end(-pid)
    })
    expect(refused).toEqual([])
    expect(postgresLog).not.toContain('smart shutdown')
  },
)

/**
 * Ends a service while answers of its receiver, of its mail server and its own to requests are
 * outstanding, and starts it again: the stop was clean, and nothing is lost, in doubt or repeated.
 */
async function stopUnderLoad(signal: (service: ServiceProcess) => Promise<unknown>) {
  const settings = { DATA_DIR: await makeDataDirWithDatabase() }
  const { promise: signalled, resolve: goOn } = Promise.withResolvers<void>()
  let isHeld = false
  let mails = 0
  const holding = createSignal()
  const answered: string[] = []
  await using outreach = await startOutreach({
    async answer({ headers }, response) {
      if (isHeld) await signalled
      answered.push(String(headers['webhook-id']))
      response.writeHead(200).end()
    },
    smtp: {
      onData(stream, { envelope: { mailFrom, rcptTo }, user }, callback) {
        const taken = buffer(stream).then(async (source) => {
          mails += 1
          holding.raise()
          // The tenth waits for its answer after the last dot.
          if (mails === 10) await signalled
          const to = rcptTo.map(({ address }) => address)
          const from = mailFrom ? mailFrom.address : ''
          outreach.outbox.store.submit(user as Account, { from, to, source })
        })
        taken.then(() => callback(null, '2.0.0 Ok: queued'), callback)
      },
    },
  })
  const { outbox, receiver } = outreach
  await using service = startService('main', settings, { ownGroup: true })
  const api = await outreach.setUp(service, settings)
  isHeld = true
  const before = receiver.requests.length
  await api.addLeads(emailsOf('lead', leads))
  await receiver.waitFor(before + 1)
  await holding.until(() => mails >= 10)
  const begun = await Promise.all(
    emailsOf('late', requests).map((email) =>
      api.begin('lead/add', { campaign_id: api.campaignId, leads: [{ email }] }),
    ),
  )
  await signal(service)
  goOn()
  const answers = await Promise.allSettled(begun.map((send) => send()))
  expect(await service.exited, service.errors()).toEqual({ code: 0, signal: null })
  expect(service.errors()).not.toContain('ended before everything had stopped')

  const endedBefore = new Set(answered)
  await using again = startService('main', settings)
  await again.address()
  const kept = answers.filter(({ status }) => status === 'fulfilled').length
  await outbox.waitFor(leads + kept)
  await receiver.waitFor(answered.length + 1)
  expect(new Set(outbox.mails.map(({ to }) => to)).size).toBe(outbox.mails.length)
  const repeated = answered.filter((id, at) => endedBefore.has(id) && answered.indexOf(id) !== at)
  expect(repeated).toEqual([])
  expect((await operatorJson(['sends', 'uncertain'], settings)).items).toEqual([])
  const postgresLog = readFileSync(join(settings.DATA_DIR, 'postgres', 'server.log'), 'utf8')
  expect(postgresLog).toContain('database system was shut down at')
  expect(postgresLog).not.toMatch(/interrupted|not properly shut down|recovery/)
  const refused = answers.flatMap((each) => (each.status === 'rejected' ? [`${each.reason}`] : []))
  return { refused, postgresLog }
}

const emailsOf = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${name}${n}@lead.example`)

function end(pid: number) {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    // A connection of PostgreSQL that has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The process and all that it started, PostgreSQL's own children too. */
function treeOf(root: number): number[] {
  const parents = new Map<number, number>()
  for (const name of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      parents.set(Number(name), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]))
    } catch {
      // Gone meanwhile.
    }
  }
  const tree = [root]
  for (const pid of tree) {
    for (const [child, parent] of parents) if (parent === pid) tree.push(child)
  }
  return tree
}
