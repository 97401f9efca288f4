import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { testDatabase } from '../database.ts'
import { bodyBombs } from '../hostile-inputs/bodies.ts'
import { mailBombs } from '../hostile-inputs/mails.ts'
import { generatedBomb, templateBombs, templateLead } from '../hostile-inputs/templates.ts'
import { type Outreach, type OutreachApi, startOutreach } from '../outreach.ts'
import { patience } from '../patience.ts'
import { makeDataDir, type ServiceProcess, startService } from '../processes.ts'
import { alwaysOpen } from '../sending.ts'
import { firstSeed, share } from '../thoroughness.ts'
import type { Asked } from './health-asker.ts'

/** Of processor time of the service's main thread, from a question to its answer. */
const heldMaxMs = 100
// Five hundred are rendered by themselves in `template-work.responsive.test.ts`.
const generated = fc.sample(generatedBomb, { numRuns: share(60), seed: firstSeed(1) })
const sender = 'anna@example.com'

// Only Linux tells how long a thread of another process had a processor. The wall clock would
// blame the service for every other program of a busy machine.
const canMeasure = existsSync('/proc/self/schedstat')

test.skipIf(!canMeasure)(
  'another process always gets GET /health in 100 ms while the service renders, sends, reads and takes bombs',
  async () => {
    await using database = await testDatabase()
    const secretKey = randomBytes(32).toString('base64')
    const DATA_DIR = await makeDataDir()
    const settings = { DATABASE_URL: database.url, DATA_DIR, OUTRIDER_SECRET_KEY: secretKey }
    await using outreach = await startOutreach()
    await using service = startService('main', settings)
    const api = await outreach.setUp(service, settings)
    await using asker = askHealth(await service.address(), service)
    const ended = async () =>
      Number(
        (
          await database.peek
            .selectFrom('sends')
            .select((eb) => eb.fn.countAll().as('count'))
            .where('state', 'in', ['sent', 'failed'])
            .where('campaign_id', '<>', api.campaignId)
            .executeTakeFirstOrThrow()
        ).count,
      )

    await Promise.all([sendBombs(api, ended), receiveBombs(outreach, api), postBombs(api)])
    const asked = await asker.stop()
    console.log('GET /health from another process:', JSON.stringify(asked))
    expect(asked.longestHeldMs).toBeLessThan(heldMaxMs)
  },
)

function askHealth(address: string, { pid }: ServiceProcess) {
  const path = fileURLToPath(new URL('./health-asker.ts', import.meta.url))
  const child = spawn(process.execPath, [path, address, String(pid)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const printed = text(child.stdout)
  return {
    async stop(): Promise<Asked> {
      child.stdin.end()
      return JSON.parse(await printed)
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await printed
    },
  }
}

/** A campaign and a lead for each template, of which some are refused when the campaign is made. */
async function sendBombs(api: OutreachApi, ended: () => Promise<number>) {
  const templates = [...templateBombs.map(([, template]) => template), ...generated]
  let taken = 0
  for (const [index, body] of templates.entries()) {
    const campaign = await create(api, body)
    if (!campaign) continue
    taken += 1
    const leads = [{ ...templateLead, email: `bomb${index}@lead.example` }]
    await api.post('lead/add', { campaign_id: campaign.id, leads })
    await api.call('PATCH', `campaigns/${campaign.id}`, { status: 'active' })
  }
  expect(taken).toBeGreaterThan(templates.length / 3)
  await vi.waitFor(async () => expect(await ended()).toBe(taken), patience)
}

const create = (api: OutreachApi, body: string) =>
  api
    .post('campaigns', {
      name: 'bombs',
      campaign_schedule: alwaysOpen,
      ...{ email_gap: 0, random_wait_max: 0, daily_limit: 10_000 },
      email_list: [sender],
      sequences: [{ steps: [{ variants: [{ subject: 'Hello', body }] }] }],
    })
    .catch((error) => {
      expect(String(error)).toContain('campaigns: 400')
      return undefined
    })

/** Answers to a mail of ours, and another one to tell by when they were read. */
async function receiveBombs({ outbox, receiver }: Outreach, api: OutreachApi) {
  const [lead, last] = ['ada@reads.example', 'last@reads.example']
  await api.addLeads([lead, last])
  const sent = await vi.waitFor(() => {
    const found = [lead, last].map((address) => outbox.mails.find(({ to }) => to === address))
    expect(found.every((mail) => mail !== undefined)).toBe(true)
    return found
  }, patience)
  const [messageId, lastId] = sent.map(
    (mail) => /^Message-ID: (.*?)\r$/im.exec(`${mail?.source}`)?.[1],
  )
  const account = outbox.store.find(sender)
  if (!account) throw new Error('no account')
  let mails = 0
  const answer = (from: string, id: string | undefined) => (headers: string, rest: string) => {
    mails += 1
    const head = [`From: ${from}`, `To: ${sender}`, `Message-ID: <bomb${mails}@reads.example>`]
    const all = [...head, `In-Reply-To: ${id}`, ...(headers === '' ? [] : [headers])]
    return [...all, '', rest].join('\r\n')
  }
  for (const [, mail] of mailBombs(answer(lead, messageId))) {
    // Beside the whole as much of it as is taken apart without a thread.
    for (const source of [mail(), mail().slice(0, 16 * 1024)]) {
      outbox.store.file(account, Buffer.from(source, 'latin1'))
    }
  }
  outbox.store.file(account, Buffer.from(answer(last, lastId)('', 'Yes.')))
  await vi.waitFor(() => {
    const events = receiver.requests.map(({ body }) => body.toString())
    expect(events.some((body) => body.includes('lead.replied') && body.includes(last))).toBe(true)
  }, patience)
}

async function postBombs(api: OutreachApi) {
  for (const [name, body, message] of bodyBombs(() => api.campaignId)) {
    await expect(api.postText('lead/add', body()), name).rejects.toThrow(message)
  }
}
