import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { importText } from '../../../test/directory-files.ts'
import { setPlan } from '../workspaces/index.ts'

let api: TestApi
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
  await importText(
    api.ctx,
    `first_name,last_name,seniority,email,company,domain,industry,employee_count,country
Ada,A,director,ada@a.example,Alpha,a.example,Software,15,Germany
Bea,B,director,bea@a.example,Alpha,a.example,Software,15,Germany
Cid,C,c_suite,cid@a.example,Alpha,a.example,Software,15,France
Dan,D,c_suite,dan@b.example,Beta,b.example,Steel & Iron,2500,France
Eve,E,,eve@b.example,Beta,b.example,Steel & Iron,2500,
`,
  )
})
afterAll(() => api[Symbol.asyncDispose]())

const ask = (body: object) =>
  owner.call('POST', '/app/contacts/facets', {
    body,
    headers: { 'x-workspace-id': api.workspaceId },
  })

type Values = { value: string; contacts: number }[]

const facets = async (body: object): Promise<Record<string, Record<string, number>>> =>
  Object.fromEntries(
    Object.entries((await ask(body)).body as Record<string, { values: Values }>).map(
      ([name, { values }]) => [
        name,
        Object.fromEntries(values.map(({ value, contacts }) => [value, contacts])),
      ],
    ),
  )

test('each value says how many contacts it would give', async () => {
  expect(await facets({})).toEqual({
    seniorities: { director: 2, 'c suite': 2 },
    industries: { software: 3, 'steel iron': 2 },
    countries: { de: 2, fr: 2 },
    employee_count: { 11: 3, 2001: 2 },
  })
  expect((await ask({})).body.countries.is_estimate).toBe(false)
})

test('counts follow the text and the other filters, and none its own', async () => {
  const counted = await facets({ query: 'alpha', countries: ['Germany'] })
  expect(counted).toEqual({
    seniorities: { director: 2 },
    industries: { software: 2 },
    countries: { de: 2, fr: 1 },
    employee_count: { 11: 2 },
  })
  const both = await facets({ countries: ['fr'], employee_count: { min: 1001, max: null } })
  expect(both).toMatchObject({ countries: { fr: 1 }, employee_count: { 11: 1, 2001: 1 } })
})

test('what a value counts is what a search with it finds', async () => {
  const search = { industries: ['Software'] }
  for (const [value, contacts] of Object.entries((await facets(search)).seniorities ?? {})) {
    const { body } = await api.call('POST', '/api/v1/leadbank/find', {
      body: { ...search, seniorities: [value] },
    })
    expect([value, body.total]).toEqual([value, contacts])
  }
})

test('where nobody is found no value counts, and no address is ever a value', async () => {
  expect(await facets({ query: 'nobody at all' })).toEqual({
    ...{ seniorities: {}, industries: {}, countries: {}, employee_count: {} },
  })
  expect(JSON.stringify((await ask({})).body)).not.toContain('example')
})

test('of more than ten thousand a part is counted, which tells how all are spread', async () => {
  const farmers = Array.from({ length: 16_000 }, (_, n) => {
    const seniority = n % 4 === 0 ? 'vp' : 'director'
    return `F,${n},${seniority},f${n}@c.example,Gamma,c.example,Farming,15,Spain`
  })
  await importText(
    api.ctx,
    `first_name,last_name,seniority,email,company,domain,industry,employee_count,country\n${farmers.join('\n')}\n`,
  )
  const { body } = await ask({ industries: ['Farming'] })
  expect(body.seniorities.is_estimate).toBe(true)
  const [directors, others] = body.seniorities.values as Values
  expect(directors).toMatchObject({ value: 'director' })
  expect(others).toMatchObject({ value: 'vp' })
  expect(Math.abs((directors?.contacts ?? 0) - 12_000)).toBeLessThan(1_800)
  expect(Math.abs((others?.contacts ?? 0) - 4_000)).toBeLessThan(600)
  const few = await ask({ industries: ['Software'] })
  expect(few.body.seniorities).toEqual({
    is_estimate: false,
    values: [
      { value: 'director', contacts: 2 },
      { value: 'c suite', contacts: 1 },
    ],
  })
})

test('without the entitlement nothing is counted', async () => {
  await setPlan(api.ctx, api.workspaceId, { acquisition: false })
  expect((await ask({})).status).toBe(403)
})
