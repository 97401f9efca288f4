import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { insertCompany, insertPeople, insertPerson } from '../../../test/directory-rows.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const acquire = async (body: object, key = api.key) =>
  (await api.call('POST', '/api/v1/leadbank/acquire_email', { body, key })).body
const read = (url: string, key = api.key) => api.call('GET', url, { key })
const idsOf = (body: { items: { id: string }[] }) => body.items.map(({ id }) => id)

describe('lists', () => {
  test('are shown newest first, page by page, with their counts', async () => {
    const { key } = await api.createStranger()
    const ids: string[] = []
    for (const list_name of ['one', 'two', 'three']) {
      const contact_id = await insertPerson(api.ctx)
      ids.unshift((await acquire({ contact_id, list_name }, key)).list_id)
    }
    const first = await read('/api/v1/leadbank/acquire-lists?limit=2', key)
    expect(first.body.items[0]).toEqual({
      id: ids[0],
      name: 'three',
      lead_count: 1,
      timestamp_created: expect.stringMatching(/Z$/),
    })
    expect(idsOf(first.body)).toEqual(ids.slice(0, 2))
    const cursor = first.body.next_starting_after
    const second = await read(
      `/api/v1/leadbank/acquire-lists?limit=2&starting_after=${cursor}`,
      key,
    )
    expect(second.body).toEqual({ items: [expect.objectContaining({ id: ids[2] })] })
    expect((await read('/api/v1/leadbank/acquire-lists')).body).toEqual({ items: [] })
  })

  test('show their contacts as they were acquired, the newest entry first', async () => {
    const company_id = await insertCompany(api.ctx, { name: 'Analytical', domain: 'e.example' })
    const people = await insertPeople(
      api.ctx,
      ['a', 'b', 'c'].map((name) => ({ company_id, title: name, email: `${name}@e.example` })),
    )
    // Acquired in another order than they were found.
    const [first, second, third] = [people[1], people[2], people[0]]
    const { list_id } = await acquire({ contact_id: first, list_name: 'ordered' })
    await acquire({ contact_id: second, list_id })
    await acquire({ contact_id: third, list_id })
    await api.ctx.database.peek
      .updateTable('directory_contacts')
      .set({ first_name: 'Changed', company_id: null })
      .where('id', 'in', people)
      .execute()
    const url = `/api/v1/leadbank/acquire-lists/${list_id}/leads`
    const page = await read(`${url}?limit=2`)
    expect(page.body.items.map((item: { contact_id: string }) => item.contact_id)).toEqual([
      third,
      second,
    ])
    expect(page.body.items[0]).toEqual({
      id: expect.any(String),
      contact_id: third,
      first_name: 'Ada',
      last_name: 'Lovelace',
      title: 'a',
      seniority: null,
      department: null,
      company: {
        company_id,
        name: 'Analytical',
        domain: 'e.example',
        industry: null,
        employee_count: null,
      },
      city: null,
      country: null,
      linkedin_url: null,
      email: 'a@e.example',
      email_status: 'verified',
      confidence: null,
      opted_out: false,
      timestamp_created: expect.stringMatching(/Z$/),
    })
    expect(page.body.next_starting_after).toBe(page.body.items[1].id)
    const rest = await read(`${url}?starting_after=${page.body.next_starting_after}`)
    expect(rest.body.items).toMatchObject([{ contact_id: first }])
    expect(rest.body.next_starting_after).toBeUndefined()
  })

  test('of another workspace, or that are none, are a 404', async () => {
    const stranger = await api.createStranger()
    const { list_id } = await acquire({
      contact_id: await insertPerson(api.ctx),
      list_name: 'mine',
    })
    for (const [id, key] of [
      [list_id, stranger.key],
      [api.ctx.newId(), api.key],
      ['nonsense', api.key],
    ]) {
      const answer = await read(`/api/v1/leadbank/acquire-lists/${id}/leads`, key)
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
})

describe('a company', () => {
  test('is shown to who acquired somebody there, with how many', async () => {
    const stranger = await api.createStranger()
    const company_id = await insertCompany(api.ctx, { name: 'Seen', domain: 'seen.example' })
    const people = await insertPeople(api.ctx, [{ company_id }, { company_id }, { company_id }])
    const url = `/leadbank/api/v1/company/${company_id}`
    expect((await read(url)).status).toBe(404)
    await acquire({ contact_id: people[0] })
    await acquire({ contact_id: people[2] })
    expect((await read(url)).body).toEqual({
      id: company_id,
      company_id,
      name: 'Seen',
      domain: 'seen.example',
      website: null,
      industry: null,
      employee_count: null,
      revenue_range: null,
      founded_year: null,
      description: null,
      technologies: [],
      city: null,
      country: null,
      linkedin_url: null,
      acquired_contacts: 2,
    })
    expect((await read(url, stranger.key)).status).toBe(404)
  })

  test.each([
    ['Moved', 'moved.example', 'd:moved.example'],
    ['Moved Ltd', null, 'n:moved ltd'],
  ])('%s at %s is shown where the directory has it by another id', async (name, domain, key) => {
    const company_id = await insertCompany(api.ctx, { name, domain })
    await acquire({ contact_id: await insertPerson(api.ctx, { company_id }) })
    // As another database has it, to which the workspace was moved.
    await api.ctx.database.peek
      .updateTable('directory_companies')
      .set({ id: api.ctx.newId(), key })
      .where('id', '=', company_id)
      .execute()
    expect((await read(`/leadbank/api/v1/company/${company_id}`)).body).toMatchObject({
      ...{ id: company_id, company_id, name, domain, acquired_contacts: 1 },
    })
  })

  test('that does not exist is a 404', async () => {
    for (const id of [api.ctx.newId(), 'nonsense']) {
      const answer = await read(`/leadbank/api/v1/company/${id}`)
      expect(answer).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
  })
})
