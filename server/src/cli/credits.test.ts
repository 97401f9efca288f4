import { expect, test } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'
import { insertPerson } from '../../test/directory-rows.ts'
import { readConfig } from '../config.ts'
import { acquireEmail } from '../features/acquisition/acquire-email.ts'
import { createCampaign } from '../features/campaigns/campaigns.ts'
import { getWorkspace } from '../features/workspaces/index.ts'
import { type Context, inWorkspace } from '../kernel/context.ts'
import { createLog } from '../kernel/log.ts'
import { openOperator } from '../process/open.ts'

commandDatabase()

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
const unknown = '00000000-0000-7000-8000-000000000001'

/** Works on the database of the commands, as the service does. */
async function serve<T>(work: (ctx: Context, workspaceId: string) => Promise<T>): Promise<T> {
  await using opened = await openOperator(readConfig(), { log: createLog('silent') })
  const { id } = await getWorkspace(opened.ctx, 'default')
  return await work(inWorkspace(opened.ctx, id), id)
}

/** A contact that the default workspace has acquired into a list. */
const acquire = (list_name: string) =>
  serve(async (ctx, workspaceId) =>
    acquireEmail(ctx, workspaceId, { contact_id: await insertPerson(ctx), list_name }, 'request-1'),
  )

test('credits are granted and refunded, and the ledger tells of it', async () => {
  expect(await json('credits', 'grant', '50', '--reason', 'a gift')).toMatchObject({
    balance: 1050,
    granted: 1050,
    used: 0,
  })
  const { contact_id } = await acquire('refunded')
  const refunded = await json('credits', 'refund', contact_id, '--reason', 'it bounced')
  expect(refunded).toMatchObject({ balance: 1050 })
  const { items, balance } = await json('credits', 'history')
  expect(balance).toBe(1050)
  expect(items).toContainEqual({
    id: uuid,
    kind: 'refund',
    amount: 1,
    reason: 'it bounced',
    request_id: null,
    contact_id,
    email: `person-${contact_id}@example.com`,
    timestamp_created: expect.any(String),
  })
  const sum = items.reduce((total: number, entry: { amount: number }) => total + entry.amount, 0)
  expect(sum).toBe(1050)

  const { stdout } = await run('credits', 'history')
  expect(stdout).toMatch(/^TIME +KIND +CREDITS +CONTACT +REQUEST +REASON$/m)
  expect(stdout).toMatch(/refund +1 .*it bounced$/m)
  expect(stdout).toMatch(/^balance {2}1050$/m)
})

test('another workspace has its own, and a plan may grant it some each month', async () => {
  const { id } = await json('workspaces', 'create', '--name', 'acme')
  const plan = await json('workspaces', 'set-plan', 'acme', '--monthly-credits', '25')
  expect(plan.plan_monthly_credits).toBe(25)
  const granted = await json('credits', 'grant', '1', '--workspace', id)
  expect(granted).toMatchObject({ balance: 126, period_end: expect.any(String) })
})

test('the contacts of a list are added to a campaign', async () => {
  const { list_id } = await acquire('added')
  const campaign = await serve((ctx, workspaceId) =>
    createCampaign(ctx, workspaceId, { name: 'first' }),
  )
  const add = ['leads', 'add-acquired', '--list', String(list_id), '--campaign', campaign.id]
  expect(await json(...add)).toMatchObject({ contacts: 1, leads_uploaded: 1 })
  expect((await run(...add)).stdout).toMatch(/^already_in_campaign {2}1$/m)
})

test.each([
  [['credits', 'grant', '0'], 2],
  [['credits', 'grant', '-5'], 2],
  [['credits', 'grant', 'many'], 2],
  [['credits', 'grant'], 2],
  [['credits', 'refund', 'nobody'], 2],
  [['credits', 'refund', unknown], 1],
  [['credits', 'history', '--workspace', 'no such'], 1],
  [['leads', 'add-acquired', '--list', unknown], 2],
  [['leads', 'add-acquired', '--list', unknown, '--campaign', unknown], 1],
])('%j ends with %i', async (args, code) => {
  const ended = await run(...args)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).not.toBe('')
})
