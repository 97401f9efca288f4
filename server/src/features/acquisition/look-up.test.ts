import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import {
  indexPeople,
  insertCompany,
  insertPeople,
  insertPerson,
} from '../../../test/directory-rows.ts'
import { type DnsReply, startDnsServer } from '../../../test/dns-server.ts'
import { createMailLookup } from '../../kernel/outbound/index.ts'
import { optOut } from '../directory/index.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { acquireEmail } from './acquire-email.ts'
import { getBalance } from './credits.ts'
import { listContacts } from './lists.ts'

let ctx: TestContext
let workspaceId: string
beforeAll(async () => {
  ctx = await testContext()
  workspaceId = (await createWorkspace(ctx, 'pattern')).id
})
afterAll(() => ctx[Symbol.asyncDispose]())

const mail = (name: string): DnsReply => [
  { name, type: 'MX', ttl: 0, data: { preference: 10, exchange: 'mail.example' } },
]

/** A company whose three known addresses are `first.last@`. */
async function makeCompany(domain = `pattern-${ctx.newId()}.example`) {
  const company_id = await insertCompany(ctx, { domain })
  await insertPeople(
    ctx,
    [
      ['Alan', 'Turing'],
      ['Grace', 'Hopper'],
      ['Edsger', 'Dijkstra'],
    ].map(([first_name = '', last_name = '']) => ({
      first_name,
      last_name,
      company_id,
      email: `${first_name}.${last_name}@${domain}`.toLowerCase(),
    })),
  )
  await indexPeople(ctx)
  return { company_id, domain }
}

/** Asks for a contact with this name server for the look-up of mail servers. */
async function acquire(contact_id: string, reply: DnsReply | 'mail', more: object = {}) {
  await using dns = await startDnsServer((name) => (reply === 'mail' ? mail(name) : reply))
  const own = { ...ctx, lookupMail: createMailLookup(() => dns.resolver()) }
  const answer = await acquireEmail(own, workspaceId, { contact_id, ...more }, null)
  return { answer, questions: dns.questions }
}

describe('an address that nobody knows', () => {
  test("is proposed by the company's pattern, with a confidence, where the domain takes mail", async () => {
    const { company_id, domain } = await makeCompany()
    const contact_id = await insertPerson(ctx, { company_id, email: null })
    const { answer, questions } = await acquire(contact_id, 'mail', { list_name: 'Proposed' })
    expect(answer).toMatchObject({
      status: 'acquired',
      email: `ada.lovelace@${domain}`,
      email_status: 'likely',
      confidence: 0.75,
      credits_charged: 1,
    })
    expect(questions).toEqual([{ name: domain, type: 'MX' }])
    const page = { limit: 10, startingAfter: undefined }
    const { items } = await listContacts(ctx, workspaceId, answer.list_id ?? '', page)
    expect(items).toMatchObject([{ email_status: 'likely', confidence: 0.75 }])
  })

  test.each<[string, DnsReply]>([
    ['does not exist', 'NXDOMAIN'],
    ['has no mail server', []],
    ['cannot be asked', 'SERVFAIL'],
  ])('is not found where the domain %s, and costs nothing', async (_what, reply) => {
    const { company_id } = await makeCompany()
    const contact_id = await insertPerson(ctx, { company_id, email: null })
    const before = (await getBalance(ctx, workspaceId)).balance
    const { answer } = await acquire(contact_id, reply)
    expect(answer).toMatchObject({ status: 'not_found', credits_charged: 0, balance: before })
  })

  test('is not found without a company, a domain, or a pattern to learn', async () => {
    const nameless = await insertCompany(ctx, { domain: null })
    const unknown = await insertCompany(ctx)
    for (const company_id of [null, nameless, unknown]) {
      const contact_id = await insertPerson(ctx, { company_id, email: null })
      const { answer, questions } = await acquire(contact_id, 'mail')
      expect(answer.status).toBe('not_found')
      expect(questions).toEqual([])
    }
  })

  test('is not proposed where it is that of a namesake, however many addresses are known there', async () => {
    const { company_id, domain } = await makeCompany()
    await insertPerson(ctx, { company_id, email: `ada.lovelace@${domain}` })
    const newer = Array.from({ length: 60 }, (_, at) => {
      const last_name = `Turing${'abcdefghij'[at % 10]}${'abcdef'[Math.floor(at / 10)]}`
      return { last_name, company_id, email: `ada.${last_name}@${domain}`.toLowerCase() }
    })
    await insertPeople(ctx, newer)
    await indexPeople(ctx)
    const contact_id = await insertPerson(ctx, { company_id, email: null })
    const { answer } = await acquire(contact_id, 'mail')
    expect(answer).toMatchObject({ status: 'not_found', credits_charged: 0 })
    const other = await insertPerson(ctx, { company_id, first_name: 'Grace', email: null })
    expect((await acquire(other, 'mail')).answer.email).toBe(`grace.lovelace@${domain}`)
  })

  test('is proposed to a workspace for one contact alone, and for another one not found', async () => {
    const { company_id, domain } = await makeCompany()
    const twice = (last_name: string) =>
      insertPeople(ctx, [
        { company_id, email: null, last_name },
        { company_id, email: null, last_name },
      ])
    const before = (await getBalance(ctx, workspaceId)).balance
    const [one = '', other = ''] = await twice('Lovelace')
    expect((await acquire(one, 'mail')).answer.email).toBe(`ada.lovelace@${domain}`)
    const nothing = { status: 'not_found', email: null, credits_charged: 0, balance: before - 1 }
    expect((await acquire(other, 'mail')).answer).toMatchObject(nothing)
    expect((await acquire(one, 'mail')).answer.status).toBe('acquired')
    // Neither of two that come at once is known to the look-up of the other.
    const both = await Promise.all((await twice('Byron')).map((id) => acquire(id, 'mail')))
    const statuses = both.map(({ answer }) => answer.status)
    expect(statuses.sort()).toEqual(['acquired', 'not_found'])
    expect((await getBalance(ctx, workspaceId)).balance).toBe(before - 2)
  })

  test('of somebody who asked to be removed is neither proposed nor charged', async () => {
    const { company_id, domain } = await makeCompany()
    await optOut(ctx, `ada.lovelace@${domain}`)
    const contact_id = await insertPerson(ctx, { company_id, email: null })
    await expect(acquire(contact_id, 'mail')).rejects.toMatchObject({ code: 'not_eligible' })
  })
})
