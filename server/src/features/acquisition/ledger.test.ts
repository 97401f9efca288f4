import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { insertPeople } from '../../../test/directory-rows.ts'
import { ensurePartitions } from '../../app.ts'
import { AppError } from '../../kernel/errors.ts'
import { optOut } from '../directory/index.ts'
import { createWorkspace, setPlan } from '../workspaces/index.ts'
import { grantMonthlyCredits } from './account.ts'
import { acquireEmail } from './acquire-email.ts'
import { getBalance, grantCredits, listCreditEntries, refundContact } from './credits.ts'
import { listContacts, listLists } from './lists.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

const people = 12
const contact = fc.nat(people - 1)
const listName = fc.constantFrom(undefined, undefined, 'one', 'One ', 'two')

type Operation =
  | { kind: 'reveal'; together: { contact: number; list: string | undefined }[] }
  | { kind: 'grant'; credits: number }
  | { kind: 'refund' | 'optout'; contact: number }
  | { kind: 'plan'; monthly: number }
  | { kind: 'month' }
  | { kind: 'upkeep' }

const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reveal' as const),
      together: fc.array(fc.record({ contact, list: listName }), { minLength: 1, maxLength: 10 }),
    }),
  },
  fc.record({ kind: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 5 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), contact }) },
  fc.record({ kind: fc.constant('optout' as const), contact }),
  fc.record({ kind: fc.constant('plan' as const), monthly: fc.nat(6) }),
  fc.record({ kind: fc.constant('month' as const) }),
  fc.record({ kind: fc.constant('upkeep' as const) }),
)

/** What the answers have said so far: the database has to agree with it. */
interface Told {
  workspaceId: string
  ids: string[]
  charged: Map<string, number>
  emails: Map<string, string>
  refunded: Set<string>
  optedOut: Set<string>
  entered: Set<string>
}

const expectedRefusals = ['insufficient_credits', 'not_eligible', 'not_found', 'invalid_field']

async function refused<T>(work: Promise<T>): Promise<T | string> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError && expectedRefusals.includes(error.code)) return error.code
    throw error
  }
}

async function run(told: Told, operation: Operation) {
  const { workspaceId, ids } = told
  switch (operation.kind) {
    case 'reveal': {
      const asked = operation.together.map(({ contact, list }) =>
        revealOne(told, ids[contact] ?? '', list),
      )
      await Promise.all(asked)
      return
    }
    case 'grant':
      await grantCredits(ctx, workspaceId, { credits: operation.credits })
      return
    case 'refund': {
      const id = ids[operation.contact] ?? ''
      const may = (told.charged.get(id) ?? 0) > 0 && !told.refunded.has(id)
      const outcome = await refused(refundContact(ctx, workspaceId, id))
      expect(typeof outcome !== 'string').toBe(may)
      if (may) told.refunded.add(id)
      return
    }
    case 'optout': {
      const id = ids[operation.contact] ?? ''
      if (told.optedOut.has(id)) return
      told.optedOut.add(id)
      await optOut(ctx, emailOf(id))
      return
    }
    case 'plan':
      await setPlan(ctx, workspaceId, { monthlyCredits: operation.monthly })
      return
    case 'month':
      ctx.clock.advance(31 * 86_400_000)
      await ensurePartitions(ctx)
      return
    case 'upkeep':
      await Promise.all([grantMonthlyCredits(ctx), grantMonthlyCredits(ctx)])
  }
}

const emailOf = (id: string) => `${id}@ledger.example`

async function revealOne(told: Told, id: string, list_name: string | undefined) {
  const input = { contact_id: id, ...(list_name === undefined ? {} : { list_name }) }
  const answer = await refused(acquireEmail(ctx, told.workspaceId, input, 'request'))
  if (typeof answer === 'string') {
    expect(answer).toBe(told.optedOut.has(id) ? 'not_eligible' : 'insufficient_credits')
    return
  }
  expect(told.optedOut.has(id)).toBe(false)
  expect(answer).toMatchObject({ status: 'acquired', email: emailOf(id) })
  expect(answer.balance).toBeGreaterThanOrEqual(0)
  told.charged.set(id, (told.charged.get(id) ?? 0) + answer.credits_charged)
  told.emails.set(id, answer.email ?? '')
  if (answer.list_id) told.entered.add(`${answer.list_id} ${id}`)
}

const insertContacts = async (count: number) => {
  const emails = Array.from({ length: count }, () => ctx.newId())
  return insertPeople(
    ctx,
    emails.map((id) => ({ id, email: emailOf(id) })),
  )
}

async function check(told: Told) {
  const { workspaceId } = told
  const account = await getBalance(ctx, workspaceId)
  const { items } = await listCreditEntries(ctx, workspaceId, all)
  const sum = (kinds: string[]) =>
    items.reduce((total, { kind, amount }) => total + (kinds.includes(kind) ? amount : 0), 0)
  expect(account.balance).toBe(sum(['grant', 'charge', 'refund', 'expiry']))
  expect(account.balance).toBe(account.granted - account.used)
  expect(account.balance).toBeGreaterThanOrEqual(0)

  const charged = [...told.charged.values()]
  expect(charged.every((credits) => credits === 1)).toBe(true)
  expect(0 - sum(['charge'])).toBe(charged.length)
  expect(sum(['refund'])).toBe(told.refunded.size)
  const acquired = await ctx.database.peek
    .selectFrom('acquired_contacts')
    .select(['contact_id', 'email', 'charge_id'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  expect(new Map(acquired.map((row) => [row.contact_id, row.email]))).toEqual(told.emails)
  expect(new Set(acquired.map((row) => row.charge_id))).toEqual(
    new Set(items.flatMap(({ kind, id }) => (kind === 'charge' ? id : []))),
  )
  const events = await ctx.database.peek
    .selectFrom('events')
    .select('lead_email')
    .where('workspace_id', '=', workspaceId)
    .execute()
  expect(events.map((event) => event.lead_email).sort()).toEqual([...told.emails.values()].sort())

  const lists = (await listLists(ctx, workspaceId, all)).items
  for (const list of lists) {
    const { items: listed } = await listContacts(ctx, workspaceId, list.id, all)
    const entered = [...told.entered].filter((entry) => entry.startsWith(list.id))
    expect(list.lead_count).toBe(entered.length)
    expect(new Set(listed.map((entry) => `${list.id} ${entry.contact_id}`))).toEqual(
      new Set(entered),
    )
  }
}

const all = { limit: 100_000, startingAfter: undefined }

test('whatever is done, the ledger, the balance and the answers agree', async () => {
  const runs = Number(process.env.LEDGER_RUNS ?? 15)
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
      const told: Told = {
        workspaceId: (await createWorkspace(ctx, `ledger ${ctx.newId()}`)).id,
        ids: await insertContacts(people),
        charged: new Map(),
        emails: new Map(),
        refunded: new Set(),
        optedOut: new Set(),
        entered: new Set(),
      }
      await grantCredits(ctx, told.workspaceId, { credits: 1 })
      // Of its 101 credits a workspace is left with few: a run is about them.
      await drain(told.workspaceId, 6)
      for (const each of operations) {
        await run(told, each)
        await check(told)
      }
    }),
    { numRuns: runs, endOnFailure: true },
  )
}, 120_000)

/** As if what is more than this had expired. */
async function drain(workspaceId: string, left: number) {
  const { balance } = await getBalance(ctx, workspaceId)
  const { peek } = ctx.database
  await peek
    .updateTable('credit_balances')
    .set({ balance: left, granted: left })
    .where('workspace_id', '=', workspaceId)
    .execute()
  await peek
    .insertInto('credit_entries')
    .values({
      ...{ workspace_id: workspaceId, id: ctx.newId(), kind: 'expiry', amount: left - balance },
      timestamp_created: ctx.now(),
    })
    .execute()
}
