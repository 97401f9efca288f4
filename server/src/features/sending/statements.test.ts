import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { captureStatements } from '../../kernel/db/client.ts'
import { rescheduleLeads } from '../leads/index.ts'
import type { SendingRunner } from './index.ts'

let sending: Sending
let runner: SendingRunner
afterEach(async () => {
  captureStatements(undefined)
  await sending[Symbol.asyncDispose]()
})

/** What is asked whether there is a mail or not: by the loops of a process, and of any request. */
const always = [
  /^\s*\/\* cross-workspace: /,
  /bucket_leases|\brunners\b|pg_notify|^select 1$|"service_accounts"/,
]

const steps = [
  { variants: [{ subject: 'Hello', body: 'Hi' }] },
  { delay: 3, variants: [{ subject: '', body: 'Again' }] },
]

/** A mailbox with a gap that has sent a mail today, and sleeps without anything to do. */
async function startIdle() {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 600 })
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForMails(1)
  await untilIdle()
  // Every 15 s the restore guard looks at the database, which no mail is to blame for.
  const looked = restoreGuardLooked()
  sending.ctx.clock.advance(601_000)
  await looked
  await untilIdle()
  return campaign
}

/** Every mailbox sleeps, and none is looked at once more that was woken twice. */
async function untilIdle() {
  await sending.untilAsleep()
  await sending.ctx.database.until(() => runner.lanesAwake() === 0)
}

function restoreGuardLooked(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let isLooking = false
  captureStatements((text) => {
    isLooking ||= text.includes('installation: which one it is')
    if (isLooking && text === 'commit') resolve()
  })
  return promise
}

/** @returns the statements that it took until every mailbox sleeps again, each in short */
async function statementsOf(act: () => Promise<unknown>): Promise<string[]> {
  const texts: string[] = []
  captureStatements((text) => texts.push(text))
  await act()
  await untilIdle()
  captureStatements(undefined)
  return texts
    .filter((text) => !always.some((pattern) => pattern.test(text)))
    .map((text) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 100))
}

/**
 * Told with its statements when there are more until the mailbox sleeps: a mailbox that was woken twice
 * looks once more after that, which is nothing that the change has asked for, but never more than twice.
 */
function atMost(most: number, texts: string[]) {
  const looks = texts.flatMap((text, at) => (text.includes(' asleep as (') ? [at] : []))
  const [asleep = texts.length] = looks
  const counted = texts.slice(0, asleep + 1).length
  if (counted <= most && looks.length <= 3) return []
  return [`${counted} statements, ${looks.length} looks`, ...texts]
}

test('a lead that is added and written to takes at most 38 statements', async () => {
  const campaign = await startIdle()
  const texts = await statementsOf(async () => {
    await sending.addLeads(campaign.id, ['bob@lead.example'])
    await sending.waitForMails(2)
  })
  expect(texts.filter((text) => text.includes('insert into messages'))).toHaveLength(1)
  expect(atMost(38, texts)).toEqual([])
})

test.each([
  ['later', 5, 25],
  // Its mailbox is woken for it, and plans.
  ['sooner', 2, 26],
])(
  'an edit that makes the next step of a lead %s takes at most so many statements',
  async (_when, delay, most) => {
    const campaign = await startIdle()
    const [first, second] = campaign.sequences[0].steps
    const texts = await statementsOf(async () => {
      await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, {
        body: { sequences: [{ steps: [first, { ...second, delay }] }] },
      })
      await rescheduleLeads(sending.ctx)
    })
    expect(texts.filter((text) => text.startsWith('update leads'))).toHaveLength(1)
    expect(atMost(most, texts)).toEqual([])
  },
)
