import { buildApi } from '../src/app.ts'
import { connect } from '../src/kernel/db/db.ts'
import { testApi } from './app.ts'
import { indexPeople, insertCompany, insertPeople } from './directory-rows.ts'
import { type Answer, answerWith, hostile, startReceiver } from './receiver.ts'

/** What the provider does with a question for the moment; some find the address. */
const providerMoods = {
  finds: (received, response) => found(received)(received, response),
  /** Charges, and breaks off before it has answered: only the next attempt is told. */
  chargesAndBreaks: (received, response) =>
    (received.isRepeated ? found(received) : hostile.resetMidBody())(received, response),
  knowsNobody: answerWith(200, '{"email": null}'),
  fails: answerWith(503),
  babbles: answerWith(200, 'not JSON'),
} satisfies Record<string, (received: Question, response: Parameters<Answer>[1]) => unknown>

type Question = Parameters<Answer>[0] & { isRepeated: boolean }

const found = ({ body }: Question) => {
  const { last_name } = JSON.parse(body.toString())
  return answerWith(200, JSON.stringify({ email: addressOf(last_name) }))
}

export type ProviderMood = keyof typeof providerMoods
export const allProviderMoods = Object.keys(providerMoods) as ProviderMood[]
export const findingMoods: ProviderMood[] = ['finds', 'chargesAndBreaks']

/** Where what is not in the directory is looked up: each is a process of its own on one database. */
export const sources = ['provider', 'pattern'] as const
export type Source = (typeof sources)[number]

export type LedgerWorld = Awaited<ReturnType<typeof openLedgerWorld>>

/** Two processes on one database, a provider with moods, and a company whose pattern is known. */
export async function openLedgerWorld() {
  const api = await testApi()
  const { ctx } = api
  const mood = { provider: 'finds' as ProviderMood, domainTakesMail: true }
  const asked = new Map<string, Set<string>>()
  const provider = await startReceiver(async (received, response) => {
    const key = String(received.headers['idempotency-key'])
    const { contact_id } = JSON.parse(received.body.toString())
    const isRepeated = asked.has(key)
    asked.set(key, (asked.get(key) ?? new Set()).add(contact_id))
    await providerMoods[mood.provider]({ ...received, isRepeated }, response)
  })
  const acquisitionProvider = { url: provider.url, secret: 'secret', timeoutMs: 5000 }
  const second = connect(ctx.database.url, 5)
  const apps = {
    provider: await buildApi({
      ...ctx,
      config: { ...ctx.config, acquisitionProvider },
      sleep: async () => undefined,
    }),
    pattern: await buildApi({
      ...ctx,
      db: second.db,
      lookupMail: async () => (mood.domainTakesMail ? ['mail.ledger.example'] : []),
    }),
  }
  const companyId = await insertCompany(ctx, { domain })
  const colleagues = ['Turing', 'Hopper', 'Dijkstra', 'Lamport']
  await insertPeople(
    ctx,
    colleagues.map((last_name) => ({
      ...{ first_name: 'Ada', last_name, company_id: companyId },
      email: addressOf(last_name),
    })),
  )
  await indexPeople(ctx)

  return {
    ...{ api, ctx, mood, asked },
    /** Of every second one the address has to be looked up, and comes out the same wherever. */
    async makePeople(count: number) {
      const people = Array.from({ length: count }, (_, at) => {
        const last_name = lettersOf(ctx.newId())
        return { last_name, isKnown: at % 2 === 0, email: addressOf(last_name) }
      })
      const ids = await insertPeople(
        ctx,
        people.map(({ last_name, isKnown, email }) => ({
          ...{ last_name, company_id: companyId },
          email: isKnown ? email : null,
        })),
      )
      return people.map((person, at) => ({ ...person, id: ids[at] ?? '' }))
    },
    async call(source: Source, method: 'GET' | 'POST', url: string, more: CallOptions) {
      const { key, body, headers = {} } = more
      const response = await apps[source].inject({
        ...{ method, url, headers: { authorization: `Bearer ${key}`, ...headers } },
        ...(body ? { payload: body } : {}),
      })
      return { status: response.statusCode, headers: response.headers, body: response.json() }
    },
    async [Symbol.asyncDispose]() {
      for (const source of sources) await apps[source].close()
      await second.db.destroy()
      await provider[Symbol.asyncDispose]()
      await api[Symbol.asyncDispose]()
    },
  }
}

interface CallOptions {
  key: string
  body?: object
  headers?: Record<string, string>
}

const domain = 'ledger.example'
const addressOf = (lastName: string) => `ada.${lastName}@${domain}`.toLowerCase()

/** A name that no two have, in letters. */
const lettersOf = (id: string) =>
  id.replaceAll('-', '').replace(/\d/g, (digit) => String.fromCharCode(103 + Number(digit)))
