import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../../test/sending.ts'
import { setPlan } from '../../workspaces/index.ts'
import { changeMany } from './jobs.ts'
import type { BulkChange } from './schema.ts'

let sending: Sending
let campaign: string
let target: string
let serial = 0
beforeAll(async () => {
  sending = await testSending()
  const mailbox = await sending.createMailbox('anna@example.com')
  campaign = (await sending.createCampaign([mailbox])).id
  const created = await sending.call('POST', '/api/v2/campaigns', { body: { name: 'target' } })
  target = created.body.id
  await sending.startRunner()
})
afterAll(() => sending[Symbol.asyncDispose]())

const by = { actor: { type: 'user', id: '019a9d5e-8a10-7c31-9d0a-5e1f6a2b3c4d' } as const }
const change = (what: Pick<BulkChange, 'action' | 'to_campaign_id'>, ids: string[]) =>
  changeMany(sending.ctx, sending.workspaceId, { ...what, ids }, by)
const remove = (ids: string[]) => change({ action: 'delete' }, ids)
const attemptsOf = async (id: string) =>
  (await sending.ledger()).filter(({ lead_id }) => lead_id === id)

/** No mail of the campaign can be made for them: its subject names what they lack. */
async function addUnfit(count: number): Promise<string[]> {
  const leads = Array.from({ length: count }, () => ({ email: `lacks${serial++}@lead.example` }))
  const ids = await sending.addLeads(campaign, leads)
  await untilUnfit(ids)
  return ids
}

const untilUnfit = (ids: string[]) =>
  sending.ctx.database.until(async () => {
    const leads = sending.ctx.database.peek.selectFrom('leads').select('sending_state')
    const rows = await leads.where('id', 'in', ids).execute()
    return rows.every(({ sending_state }) => sending_state === 'paused')
  })

/** As a program does by the API: a person is told what is lacking. */
async function tryAgain(id: string) {
  const leads = sending.ctx.database.peek.selectFrom('leads').select('email')
  const { email } = await leads.where('id', '=', id).executeTakeFirstOrThrow()
  const body = { campaign_id: campaign, email, new_status: 'active' }
  expect((await sending.call('POST', '/api/v2/lead/update/status', { body })).status).toBe(200)
}

test('of whom no mail could be made is deleted, however often that was tried', async () => {
  const ids = await addUnfit(2)
  await tryAgain(ids[0] ?? '')
  await untilUnfit(ids)
  expect(await remove(ids)).toMatchObject({ changed: 2, refused: 0 })
  const leads = sending.ctx.database.peek.selectFrom('leads').select('id')
  expect(await leads.where('id', 'in', ids).execute()).toEqual([])
})

test('of whom no mail could be made is moved with a full plan, and is in one campaign alone', async () => {
  const [id = ''] = await addUnfit(1)
  const { peek } = sending.ctx.database
  const leads = () => peek.selectFrom('leads').select('campaign_id')
  await setPlan(sending.ctx, sending.workspaceId, { leadsMax: (await leads().execute()).length })
  expect(await change({ action: 'move', to_campaign_id: target }, [id])).toMatchObject({
    changed: 1,
    refused: 0,
  })
  await setPlan(sending.ctx, sending.workspaceId, { leadsMax: null })
  expect(
    await leads()
      .where('email', '=', `lacks${serial - 1}@lead.example`)
      .execute(),
  ).toEqual([{ campaign_id: target }])
})

test.each(['claim', 'connect', 'tls', 'login'])(
  'whose mail did not get further than %s is deleted',
  async (error_stage) => {
    const [id = ''] = await addUnfit(1)
    await updateAttempt(id, { error_stage })
    expect(await remove([id])).toMatchObject({ changed: 1, refused: 0 })
  },
)

const updateAttempt = (id: string, set: object) =>
  sending.ctx.database.peek.updateTable('sends').set(set).where('lead_id', '=', id).execute()

test.each([
  { state: 'claimed', error_stage: null },
  { state: 'transmitting', error_stage: null },
  { state: 'sent', error_stage: null },
  { state: 'uncertain', error_stage: 'connect' },
  { state: 'failed', error_stage: null },
  { state: 'failed', error_stage: 'person' },
  { state: 'failed', error_stage: 'process' },
  { state: 'failed', error_stage: 'rcpt' },
  { state: 'failed', error_stage: 'message' },
  { state: 'failed', error_stage: 'ledger' },
])('whoever a mail may have left to, or a server was asked for, stays: %o', async (attempt) => {
  const [id = ''] = await addUnfit(1)
  await updateAttempt(id, attempt)
  expect(await remove([id])).toMatchObject({ changed: 0, refused: 1 })
  await updateAttempt(id, { state: 'failed', error_stage: 'compose' })
})

test('whoever a mail may have left to stays also when the next attempt could not be made', async () => {
  const [id = ''] = await addUnfit(1)
  await updateAttempt(id, { error_stage: 'person' })
  await tryAgain(id)
  await untilUnfit([id])
  expect(await attemptsOf(id)).toMatchObject([{ attempt: 2, error_stage: 'compose' }])
  expect(await remove([id])).toMatchObject({ changed: 0, refused: 1 })
})

test('whoever got a mail that a standby lacks stays, whatever its ledger says', async () => {
  const [id = ''] = await addUnfit(1)
  const newId = () => sending.ctx.newId()
  await sending.ctx.database.peek
    .insertInto('missing_marks')
    .values({
      ...{ workspace_id: sending.workspaceId, lead_id: id, step_id: newId(), id: newId() },
      ...{ campaign_id: campaign, mailbox_id: newId(), timestamp_marked: sending.ctx.now() },
    })
    .execute()
  expect(await remove([id])).toMatchObject({ changed: 0, refused: 1 })
})
