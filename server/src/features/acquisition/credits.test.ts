import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import { Value } from 'typebox/value'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { insertPerson } from '../../../test/directory-rows.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { ensurePartitions } from '../../partitions.ts'
import {
  createWorkspace,
  ensureDefaultWorkspace,
  setPlan,
  setWorkspace,
} from '../workspaces/index.ts'
import { PlanInput } from '../workspaces/schema.ts'
import { acquireEmail } from './acquire-email.ts'
import { grantMonthlyCredits } from './balance.ts'
import { getBalance, grantCredits, listCreditEntries, refundContact } from './credits.ts'
import { optOutEverywhere } from './opt-out.ts'

let ctx: TestContext
let defaultId: string
let workspaceId: string

beforeAll(async () => {
  ctx = await testContext()
  ctx.clock.set(new Date(Date.UTC(ctx.now().getUTCFullYear(), ctx.now().getUTCMonth(), 20)))
  await ensurePartitions(ctx)
  defaultId = (await ensureDefaultWorkspace(ctx)).id
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(async () => {
  workspaceId = (await createWorkspace(ctx, `credits ${ctx.newId()}`)).id
})

const history = async (id = workspaceId) =>
  (await listCreditEntries(ctx, id, { limit: 100, startingAfter: undefined })).items.map(
    ({ kind, amount, reason }) => [kind, amount, reason],
  )
const reveal = async () => {
  const contact_id = await insertPerson(ctx)
  const answer = await acquireEmail(ctx, workspaceId, { contact_id }, 'request-1')
  expect(answer.credits_charged).toBe(1)
  return contact_id
}
const startOfMonth = (later: number) =>
  new Date(Date.UTC(ctx.now().getUTCFullYear(), ctx.now().getUTCMonth() + later))

describe('a workspace starts with credits', () => {
  test('a default workspace that was renamed before starts with those of its first name', async () => {
    await using fresh = await testContext()
    const { id } = await ensureDefaultWorkspace(fresh)
    await setWorkspace(inWorkspace(fresh, id), id, { name: 'Acme' })
    expect(await getBalance(fresh, id)).toMatchObject({ balance: 1000 })
  })

  test('1,000 the default one, 100 any other, entered in the ledger once', async () => {
    const id = defaultId
    const asked = await Promise.all(Array.from({ length: 8 }, () => getBalance(ctx, id)))
    expect(new Set(asked.map(({ balance }) => balance))).toEqual(new Set([1000]))
    expect(await history(id)).toEqual([['grant', 1000, 'starting credits']])
    expect(await getBalance(ctx, workspaceId)).toEqual({
      balance: 100,
      granted: 100,
      used: 0,
      period_start: ctx.now(),
      period_end: null,
      costs: { find: 0, acquire_email: 1 },
    })
  })
})

test('credits that a workspace starts with are as old as it is, whenever they are first looked at', async () => {
  const created = ctx.now()
  ctx.clock.advance(3_600_000)
  expect(await getBalance(ctx, workspaceId)).toMatchObject({ period_start: created })
  const page = { limit: 100, startingAfter: undefined }
  const { items } = await listCreditEntries(ctx, workspaceId, page)
  expect(items).toMatchObject([{ kind: 'grant', timestamp_created: created }])
})

describe('the operator', () => {
  test('grants credits, also before anything else was done with them', async () => {
    const granted = await grantCredits(ctx, workspaceId, { credits: 50, reason: 'a gift' })
    expect(granted).toMatchObject({ balance: 150, granted: 150, used: 0 })
    expect(await history()).toEqual([
      ['grant', 50, 'a gift'],
      ['grant', 100, 'starting credits'],
    ])
    const { peek } = ctx.database
    const audited = await peek
      .selectFrom('audit_log')
      .select(['action', 'details'])
      .where('workspace_id', '=', workspaceId)
      .execute()
    expect(audited).toEqual([
      { action: 'credits.granted', details: { credits: 50, reason: 'a gift' } },
    ])
  })

  test('cannot grant none, or more than a balance holds', async () => {
    for (const credits of [0, -5, 1_000_000_000]) {
      await expect(grantCredits(ctx, workspaceId, { credits })).rejects.toThrow('at most')
    }
    expect(await history()).toHaveLength(1)
  })

  test('refunds a contact once, and it stays acquired', async () => {
    const contactId = await reveal()
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 99, used: 1 })
    const refunded = await refundContact(ctx, workspaceId, contactId, 'it bounced')
    expect(refunded).toMatchObject({ balance: 100, granted: 100, used: 0 })
    await expect(refundContact(ctx, workspaceId, contactId)).rejects.toThrow('already')
    expect(await history()).toEqual([
      ['refund', 1, 'it bounced'],
      ['charge', -1, 'e-mail acquired'],
      ['grant', 100, 'starting credits'],
    ])
    const again = await acquireEmail(ctx, workspaceId, { contact_id: contactId }, null)
    expect(again).toMatchObject({ status: 'acquired', credits_charged: 0, balance: 100 })
  })

  test('whose address it was stands in the ledger, unless they asked to be removed', async () => {
    const [kept, removed] = [await reveal(), await reveal()]
    await refundContact(ctx, workspaceId, kept)
    const addresses = async () =>
      (await listCreditEntries(ctx, workspaceId, { limit: 100, startingAfter: undefined })).items
        .toReversed()
        .map(({ kind, email }) => [kind, email])
    const [first, second] = [kept, removed].map((id) => `person-${id}@example.com`)
    expect(await addresses()).toEqual([
      ['grant', null],
      ['charge', first],
      ['charge', second],
      ['refund', first],
    ])
    await optOutEverywhere(ctx, second ?? '')
    expect((await addresses())[2]).toEqual(['charge', null])
  })

  test('refunds nothing that this workspace was not charged', async () => {
    const contactId = await reveal()
    const other = (await createWorkspace(ctx, `other ${ctx.newId()}`)).id
    await expect(refundContact(ctx, other, contactId)).rejects.toThrow('no such contact')
  })
})

describe('monthly credits', () => {
  test('are there from the moment the plan has them, and what is left of them expires', async () => {
    await setPlan(ctx, workspaceId, { monthlyCredits: 30 })
    expect(await getBalance(ctx, workspaceId)).toEqual({
      balance: 130,
      granted: 130,
      used: 0,
      period_start: ctx.now(),
      period_end: startOfMonth(1),
      costs: { find: 0, acquire_email: 1 },
    })
    const spent = [await reveal(), await reveal()]
    await setPlan(ctx, workspaceId, { monthlyCredits: 40 })
    const before = ctx.now()
    ctx.clock.set(startOfMonth(1))
    expect(await getBalance(ctx, workspaceId)).toMatchObject({
      balance: 140,
      granted: 140,
      used: 0,
      period_end: startOfMonth(1),
    })
    expect((await history()).slice(0, 2)).toEqual([
      ['grant', 40, 'monthly credits'],
      ['expiry', -28, 'monthly credits not used'],
    ])
    // A charge of the month before is not among what this month used.
    const refunded = await refundContact(ctx, workspaceId, spent[0] ?? '')
    expect(refunded).toMatchObject({ balance: 141, granted: 141, used: 0 })
    ctx.clock.set(before)
  })

  test('that begin within a month take nothing from a refund of what was charged before them', async () => {
    const before = ctx.now()
    const early = await reveal()
    ctx.clock.advance(1000)
    await setPlan(ctx, workspaceId, { monthlyCredits: 30 })
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 129, used: 0 })
    await reveal()
    const refunded = await refundContact(ctx, workspaceId, early)
    expect(refunded).toMatchObject({ balance: 129, granted: 130, used: 1 })
    ctx.clock.set(startOfMonth(1))
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 130 })
    expect((await history())[1]).toEqual(['expiry', -29, 'monthly credits not used'])
    ctx.clock.set(before)
  })

  test('are granted once a period, however many processes look', async () => {
    await using other = { ...ctx, [Symbol.asyncDispose]: async () => undefined }
    const workspaces = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const { id } = await createWorkspace(ctx, `monthly ${ctx.newId()}`)
        await setPlan(ctx, id, { monthlyCredits: 10 })
        return id
      }),
    )
    const before = ctx.now()
    for (const month of [0, 1]) {
      ctx.clock.set(month === 0 ? before : startOfMonth(1))
      await Promise.all([
        ...[ctx, other, ctx].map((each) => grantMonthlyCredits(each)),
        ...workspaces.map((id) => getBalance(other, id)),
        ...workspaces.map((id) => grantCredits(ctx, id, { credits: 1 })),
      ])
    }
    for (const id of workspaces) {
      const entries = (await history(id)).map(([kind, amount]) => [kind, amount])
      expect(entries.filter(([, amount]) => amount === 10)).toHaveLength(2)
      expect(entries.filter(([kind]) => kind === 'expiry')).toEqual([['expiry', -10]])
      expect(await getBalance(ctx, id)).toMatchObject({ balance: 112 })
    }
    ctx.clock.set(before)
  })

  test('are granted by the upkeep to workspaces that nobody asks about', async () => {
    await setPlan(ctx, workspaceId, { monthlyCredits: 7 })
    await grantMonthlyCredits(ctx)
    const balances = await ctx.database.peek
      .selectFrom('credit_balances')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .execute()
    expect(balances).toMatchObject([{ balance: 107, period_grant: 7 }])
  })

  test('may be as many as a plan takes, beside as many as an operator grants by hand', async () => {
    const plan = (plan_monthly_credits: number) => Value.Check(PlanInput, { plan_monthly_credits })
    expect([999_999_999, 1_000_000_000].map(plan)).toEqual([true, false])
    await grantCredits(ctx, workspaceId, { credits: 1_000_000_000 - 100 })
    await setPlan(ctx, workspaceId, { monthlyCredits: 999_999_999 })
    const before = ctx.now()
    for (const month of [before, startOfMonth(1)]) {
      ctx.clock.set(month)
      expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 1_999_999_999 })
    }
    ctx.clock.set(before)
  })

  test('of a plan that was given more than a balance can hold are as many as a plan takes', async () => {
    const { peek } = ctx.database
    await sql`alter table workspaces drop constraint workspaces_plan_monthly_credits_check,
      add constraint workspaces_plan_monthly_credits_check check (plan_monthly_credits >= 0)`.execute(
      peek,
    )
    await peek
      .updateTable('workspaces')
      .set({ plan_monthly_credits: 2_147_483_647 })
      .where('id', '=', workspaceId)
      .execute()
    await expect(getBalance(ctx, workspaceId)).rejects.toThrow('out of range')
    const path = new URL('../../../migrations/0139_monthly_credits_max.sql', import.meta.url)
    await peek.transaction().execute((tx) => sql.raw(readFileSync(path, 'utf8')).execute(tx))
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 1_000_000_099 })
    await expect(setPlan(ctx, workspaceId, { monthlyCredits: 1_000_000_000 })).rejects.toThrow(
      'workspaces_plan_monthly_credits_check',
    )
  })

  test('of one workspace that cannot be granted cost no other its own', async () => {
    await setPlan(ctx, workspaceId, { monthlyCredits: 7 })
    await getBalance(ctx, workspaceId)
    const { peek } = ctx.database
    const full = 2_147_483_647
    await peek
      .updateTable('credit_balances')
      .set({ balance: full, granted: full, period_grant: 0, period_end: ctx.now() })
      .where('workspace_id', '=', workspaceId)
      .execute()
    const later = (await createWorkspace(ctx, `later ${ctx.newId()}`)).id
    await setPlan(ctx, later, { monthlyCredits: 7 })
    await grantMonthlyCredits(ctx)
    const granted = await peek
      .selectFrom('credit_balances')
      .select(['workspace_id', 'balance'])
      .where('workspace_id', 'in', [workspaceId, later])
      .execute()
    expect(granted.map(({ balance }) => balance).toSorted()).toEqual([107, full])
    const lines = ctx.logLines.filter((line) => line.includes('monthly credits'))
    expect(lines).toEqual([expect.stringContaining(workspaceId)])
  })

  test('are told of in one line while the database is away, however many workspaces wait for them', async () => {
    for (const name of ['one', 'two', 'three']) {
      const { id } = await createWorkspace(ctx, `${name} ${ctx.newId()}`)
      await setPlan(ctx, id, { monthlyCredits: 7 })
    }
    const { peek } = ctx.database
    // What PostgreSQL says while it stops.
    await sql`create function stopping() returns trigger language plpgsql as
      $$ begin raise exception 'stopping' using errcode = '57P01'; end $$`.execute(peek)
    await sql`create trigger stopping before insert or update on credit_balances
      for each row execute function stopping()`.execute(peek)
    const before = ctx.logLines.length
    // Its loop tells of it, and tries again.
    await expect(grantMonthlyCredits(ctx)).rejects.toMatchObject({ code: '57P01' })
    await sql`drop function stopping cascade`.execute(peek)
    const lines = ctx.logLines.slice(before).filter((line) => line.includes('57P01'))
    expect(lines).toEqual([])
  })

  test('end with the period in which the plan loses them', async () => {
    await setPlan(ctx, workspaceId, { monthlyCredits: 30 })
    await getBalance(ctx, workspaceId)
    await setPlan(ctx, workspaceId, { monthlyCredits: 0 })
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 130 })
    const before = ctx.now()
    ctx.clock.set(startOfMonth(1))
    expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 100, period_end: null })
    ctx.clock.set(before)
  })
})

test('the ledger is read page by page, newest first', async () => {
  for (let i = 1; i <= 5; i++) await grantCredits(ctx, workspaceId, { credits: i })
  const first = await listCreditEntries(ctx, workspaceId, { limit: 4, startingAfter: undefined })
  expect(first.items.map(({ amount }) => amount)).toEqual([5, 4, 3, 2])
  const second = await listCreditEntries(ctx, workspaceId, {
    limit: 4,
    startingAfter: first.next_starting_after,
  })
  expect(second.items.map(({ amount }) => amount)).toEqual([1, 100])
  expect(second.next_starting_after).toBeUndefined()
})
