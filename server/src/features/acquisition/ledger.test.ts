// Also runs on PostgreSQL 15: locks.
// Also runs through PgBouncer: locks, transactions and partitions.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Done,
  expectAnswer,
  expectStored,
  type LedgerModel,
  type Person,
  readLedger,
} from '../../../test/ledger-model.ts'
import {
  allProviderMoods,
  type LedgerWorld,
  openLedgerWorld,
  type ProviderMood,
  type Source,
  sources,
} from '../../../test/ledger-world.ts'
import { share } from '../../../test/thoroughness.ts'
import { AppError } from '../../kernel/errors.ts'
import { ensurePartitions } from '../../partitions.ts'
import { createWorkspace, setPlan } from '../workspaces/index.ts'
import { grantMonthlyCredits } from './balance.ts'
import { grantCredits, refundContact } from './credits.ts'
import { optOutEverywhere } from './opt-out.ts'

let world: LedgerWorld
beforeAll(async () => {
  world = await openLedgerWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const people = 12
const contact = fc.nat(people - 1)
const source = fc.constantFrom(...sources)

interface Reveal {
  kind: 'reveal'
  source: Source
  contact: number
  list: string | undefined
  /** Of an Idempotency-Key, of which there are few. */
  key: number | undefined
}

/** What may happen at the same time as others of its kind. */
type Act =
  | Reveal
  | { kind: 'look'; source: Source; at: 'find' | 'balance' }
  | { kind: 'grant'; credits: number }
  | { kind: 'refund'; contact: number }
  | { kind: 'upkeep' }

type Step =
  | { kind: 'together'; acts: Act[] }
  | { kind: 'optout'; contact: number }
  | { kind: 'plan'; monthly: number }
  | { kind: 'days'; days: number }
  | { kind: 'mood'; provider: ProviderMood; domainTakesMail: boolean }

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      ...{ kind: fc.constant('reveal' as const), source, contact },
      list: fc.constantFrom(undefined, undefined, 'one', 'One ', 'two'),
      key: fc.constantFrom(undefined, undefined, undefined, 0, 1, 2),
    }),
  },
  fc.record({
    ...{ kind: fc.constant('look' as const), source },
    at: fc.constantFrom('find' as const, 'balance' as const),
  }),
  fc.record({ kind: fc.constant('grant' as const), credits: fc.integer({ min: 1, max: 3 }) }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refund' as const), contact }) },
  fc.record({ kind: fc.constant('upkeep' as const) }),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('together' as const),
      acts: fc.array(act, { minLength: 1, maxLength: 10 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('optout' as const), contact }) },
  fc.record({ kind: fc.constant('plan' as const), monthly: fc.nat(4) }),
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('days' as const),
      days: fc.constantFrom(0, 1, 31, 31, 62),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mood' as const),
      provider: fc.constantFrom(...allProviderMoods),
      domainTakesMail: fc.boolean(),
    }),
  },
)

async function take(model: LedgerModel, step: Step) {
  const { ctx, mood } = world
  switch (step.kind) {
    case 'together':
      return together(model, step.acts)
    case 'optout': {
      const person = model.people[step.contact] as Person
      model.optedOut.add(person.id)
      await optOutEverywhere(ctx, person.email)
      return
    }
    case 'plan':
      await setPlan(ctx, model.workspaceId, { monthlyCredits: step.monthly })
      return
    case 'days':
      model.days += step.days
      ctx.clock.advance(step.days * 86_400_000)
      await ensurePartitions(ctx)
      return
    case 'mood':
      Object.assign(mood, { provider: step.provider, domainTakesMail: step.domainTakesMail })
  }
}

async function together(model: LedgerModel, acts: Act[]) {
  const chargedBefore = new Set(model.charged.keys())
  const done = await Promise.all(acts.map((each) => perform(model, each)))
  const before = model.ledger
  model.ledger = await readLedger(world, model.workspaceId)
  const entries = model.ledger.slice(before.length)
  const window = [before.at(-1)?.left ?? 0, ...entries.map(({ left }) => left)]
  const answers = done.flatMap((each) => each ?? [])
  // What a key repeats was told first by another answer.
  const isReplay = ({ answer }: Done) => answer.headers['idempotency-replayed'] === 'true'
  for (const each of answers.filter((each) => !isReplay(each))) {
    expectAnswer(world, model, each, { entries, window, chargedBefore })
  }
  for (const { answer, key } of answers.filter(isReplay)) {
    expect(model.kept.get(key ?? '')).toEqual(answer.body)
  }
}

async function perform(model: LedgerModel, act: Act): Promise<Done | undefined> {
  const { ctx, call } = world
  const { workspaceId, apiKey: key } = model
  switch (act.kind) {
    case 'reveal': {
      const body = {
        contact_id: (model.people[act.contact] as Person).id,
        ...(act.list === undefined ? {} : { list_name: act.list }),
      }
      const idempotencyKey = act.key === undefined ? undefined : `${model.days}-${act.key}`
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      const url = '/api/v1/leadbank/acquire_email'
      const answer = await call(act.source, 'POST', url, { key, body, headers })
      return { act, answer, key: idempotencyKey }
    }
    case 'look': {
      const answer =
        act.at === 'find'
          ? await call(act.source, 'POST', '/api/v1/leadbank/find', { key, body: { limit: 1 } })
          : await call(act.source, 'GET', '/api/v1/leadbank/balance/get', { key })
      return { act, answer, key: undefined }
    }
    case 'grant':
      await grantCredits(ctx, workspaceId, { credits: act.credits })
      return
    case 'refund':
      await refund(model, (model.people[act.contact] as Person).id)
      return
    case 'upkeep':
      await grantMonthlyCredits(ctx)
  }
}

async function refund(model: LedgerModel, contactId: string) {
  try {
    await refundContact(world.ctx, model.workspaceId, contactId)
    expect(model.refunded.has(contactId)).toBe(false)
    model.refunded.add(contactId)
  } catch (error) {
    if (!(error instanceof AppError) || !['not_found', 'invalid_field'].includes(error.code)) {
      throw error
    }
  }
}

test('whatever is done, the ledger, the balance and the answers agree', async () => {
  const runs = Number(process.env.LEDGER_RUNS ?? share(6))
  await fc.assert(
    fc.asyncProperty(fc.nat(3), fc.array(step, stepsOf), async (monthly, steps) => {
      const model = await begin(monthly)
      for (const each of steps) {
        const before = model.ledger
        await take(model, each)
        await expectStored(world, model, before)
      }
    }),
    { numRuns: runs, endOnFailure: true },
  )
})

const stepsOf = { minLength: 10, maxLength: 25 }

async function begin(monthlyCredits: number): Promise<LedgerModel> {
  const { api, ctx, mood } = world
  Object.assign(mood, { provider: 'finds', domainTakesMail: true })
  const { id: workspaceId } = await createWorkspace(ctx, `ledger ${ctx.newId()}`)
  await grantCredits(ctx, workspaceId, { credits: 1 })
  // Of its 101 credits a workspace is left with few: a run is about them.
  await drain(workspaceId, 6)
  await setPlan(ctx, workspaceId, { monthlyCredits })
  return {
    workspaceId,
    apiKey: await api.createKey(['all:*'], workspaceId),
    people: await world.makePeople(people),
    ledger: await readLedger(world, workspaceId),
    charged: new Map(),
    refunded: new Set(),
    optedOut: new Set(),
    entered: new Set(),
    kept: new Map(),
    days: 0,
  }
}

/** As if what is more than this had expired. */
async function drain(workspaceId: string, left: number) {
  const { peek } = world.ctx.database
  const { balance } = await peek
    .updateTable('credit_balances as b')
    .from('credit_balances as before')
    .whereRef('before.workspace_id', '=', 'b.workspace_id')
    .set({ balance: left, granted: left })
    .where('b.workspace_id', '=', workspaceId)
    .returning('before.balance')
    .executeTakeFirstOrThrow()
  await peek
    .insertInto('credit_entries')
    .values({
      ...{ workspace_id: workspaceId, id: world.ctx.newId(), kind: 'expiry' },
      ...{ amount: left - balance, timestamp_created: world.ctx.now() },
    })
    .execute()
}
