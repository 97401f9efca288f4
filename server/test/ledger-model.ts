import { expect } from 'vitest'
import { listCreditEntries } from '../src/features/acquisition/credits.ts'
import { findingMoods, type LedgerWorld, type Source } from './ledger-world.ts'

type Answer = Awaited<ReturnType<LedgerWorld['call']>>
export type Person = Awaited<ReturnType<LedgerWorld['makePeople']>>[number]
export type Entry = Awaited<ReturnType<typeof readLedger>>[number]

/** What the database must contain, as the answers so far have said. */
export interface LedgerModel {
  workspaceId: string
  apiKey: string
  people: Person[]
  ledger: Entry[]
  /** The request that was charged for a contact. */
  charged: Map<string, string>
  refunded: Set<string>
  optedOut: Set<string>
  /** `list contact` */
  entered: Set<string>
  /** By Idempotency-Key, of which the days since the start are a part. */
  kept: Map<string, unknown>
  days: number
}

const all = { limit: 100_000, startingAfter: undefined }

/** Oldest first, each with what was left after it. */
export async function readLedger({ ctx }: LedgerWorld, workspaceId: string) {
  const { items } = await listCreditEntries(ctx, workspaceId, all)
  let left = 0
  // Who asks to be removed is shown no more; all else of an entry stays.
  return items.toReversed().map(({ email: _, ...entry }) => {
    left += entry.amount
    return { ...entry, left }
  })
}

/** A reveal, or a question that changes nothing. */
export interface Done {
  act: { kind: 'look' } | { kind: 'reveal'; source: Source; contact: number }
  answer: Answer
  /** The Idempotency-Key it was asked with. */
  key: string | undefined
}

export interface Meanwhile {
  /** That the acts entered in the ledger. */
  entries: Entry[]
  /** Every balance there was. */
  window: number[]
  chargedBefore: Set<string>
}

/** What an answer said has to be what happened; the model has it from then on. */
export function expectAnswer(
  world: LedgerWorld,
  model: LedgerModel,
  { act, answer, key }: Done,
  meanwhile: Meanwhile,
) {
  const { status, body } = answer
  if (act.kind === 'look') {
    expect(status).toBe(200)
    expect(meanwhile.window).toContain(body.balance)
    return
  }
  if (key !== undefined && String(body.code).startsWith('idempotency_key_')) return
  const person = model.people[act.contact] as Person
  const { id } = person
  const isPaid = meanwhile.chargedBefore.has(id)
  if (status === 409) {
    expect(body.code).toBe('not_eligible')
    expect(model.optedOut).toContain(id)
    return
  }
  if (status === 429) {
    expect(body.code).toBe('insufficient_credits')
    expect(isPaid).toBe(false)
    expect(meanwhile.window).toContain(0)
    return
  }
  if (status === 503) {
    expect(body.code).toBe('unavailable')
    expect(isPaid || person.isKnown).toBe(false)
    expect(act.source).toBe('provider')
    expect(['fails', 'babbles']).toContain(world.mood.provider)
    return
  }
  expect(status).toBe(200)
  if (key !== undefined) model.kept.set(key, body)
  if (body.status === 'not_found') {
    expect(isPaid || person.isKnown || findsNow(world, act.source)).toBe(false)
    expect(body).toMatchObject({ email: null, list_id: null, credits_charged: 0 })
    expect(meanwhile.window).toContain(body.balance)
    return
  }
  expect(model.optedOut).not.toContain(id)
  expect(body).toMatchObject({ contact_id: id, status: 'acquired', email: person.email })
  if (body.list_id) model.entered.add(`${body.list_id} ${id}`)
  if (body.credits_charged === 0) {
    expect(meanwhile.window).toContain(body.balance)
    return
  }
  expect(body.credits_charged).toBe(1)
  expect(model.charged).not.toContain(id)
  const requestId = String(answer.headers['x-request-id'])
  model.charged.set(id, requestId)
  const charge = { kind: 'charge', contact_id: id, request_id: requestId, left: body.balance }
  expect(meanwhile.entries).toContainEqual(expect.objectContaining(charge))
}

const findsNow = ({ mood }: LedgerWorld, source: Source) =>
  source === 'pattern' ? mood.domainTakesMail : findingMoods.includes(mood.provider)

/** The database has what the model has, and nothing else; of its ledger what was there before stays. */
export async function expectStored(world: LedgerWorld, model: LedgerModel, before: Entry[]) {
  const { workspaceId, ledger } = model
  const { account, acquired, emails, listed, lists } = await readStored(world, workspaceId)
  expect(ledger.slice(0, before.length)).toEqual(before)
  expect(ledger.filter(({ left }) => left < 0)).toEqual([])
  expect(account.balance).toBe(ledger.at(-1)?.left)
  expect(account.balance).toBe(account.granted - account.used)

  const of = (kind: string) => ledger.filter((entry) => entry.kind === kind)
  const charges = of('charge')
  expect(charges).toHaveLength(model.charged.size)
  expect(new Map(charges.map((each) => [each.contact_id, each.request_id]))).toEqual(model.charged)
  expect(sorted(of('refund').map(({ contact_id }) => contact_id))).toEqual(sorted(model.refunded))
  expect([...model.refunded].filter((id) => !model.charged.has(id))).toEqual([])

  const bought = model.people.filter(({ id }) => model.charged.has(id))
  const boughtEmails = sorted(bought.map(({ email }) => email))
  expect(sorted(acquired.map((row) => row.contact_id))).toEqual(sorted(model.charged.keys()))
  expect(sorted(acquired.map((row) => row.email))).toEqual(boughtEmails)
  expect(sorted(acquired.map((row) => row.charge_id))).toEqual(sorted(charges.map(({ id }) => id)))
  expect(sorted(emails)).toEqual(boughtEmails)
  expect(sorted(listed)).toEqual(sorted(model.entered))
  for (const { id, lead_count } of lists) {
    expect(lead_count).toBe(listed.filter((entry) => entry.startsWith(id)).length)
  }
  // Whatever became of a question, the provider can tell for whom it has charged already.
  for (const [key, contacts] of world.asked) {
    if (key.startsWith(workspaceId)) expect([...contacts]).toEqual([key.split(':')[1]])
  }
}

const sorted = (texts: Iterable<string | null>) => [...texts].sort()

async function readStored({ ctx }: LedgerWorld, workspaceId: string) {
  const { peek } = ctx.database
  const [account, acquired, events, entries, lists] = await Promise.all([
    peek
      .selectFrom('credit_balances')
      .select(['balance', 'granted', 'used'])
      .where('workspace_id', '=', workspaceId)
      .executeTakeFirstOrThrow(),
    peek
      .selectFrom('acquired_contacts')
      .select(['contact_id', 'email', 'charge_id'])
      .where('workspace_id', '=', workspaceId)
      .execute(),
    peek
      .selectFrom('events')
      .select('lead_email')
      .where('workspace_id', '=', workspaceId)
      .execute(),
    peek
      .selectFrom('acquire_list_entries')
      .select(['list_id', 'contact_id'])
      .where('workspace_id', '=', workspaceId)
      .execute(),
    peek
      .selectFrom('acquire_lists')
      .select(['id', 'lead_count'])
      .where('workspace_id', '=', workspaceId)
      .execute(),
  ])
  return {
    ...{ account, acquired, lists },
    /** Those of the events. */
    emails: events.map((event) => event.lead_email),
    listed: entries.map((entry) => `${entry.list_id} ${entry.contact_id}`),
  }
}
