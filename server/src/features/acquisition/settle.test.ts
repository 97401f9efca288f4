import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { getBalance } from './credits.ts'
import type { Reveal } from './plan.ts'
import { settleReveals } from './settle.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

const makeWorkspace = async () => (await createWorkspace(ctx, `settle ${ctx.newId()}`)).id

const makeReveal = (email: string): Reveal => ({
  contactId: ctx.newId(),
  key: undefined,
  requestId: null,
  list: { name: 'All', folded: 'all' },
  found: {
    company_id: null,
    contact: {
      ...{ first_name: 'Ada', last_name: null, title: null, seniority: null, department: null },
      ...{ company: null, city: null, country: null, linkedin_url: null },
    },
    ...{ email, email_folded: email, email_status: 'verified', confidence: null },
    source: 'directory',
  },
})

test('one reveal that cannot be written fails by itself', async () => {
  const workspaceId = await makeWorkspace()
  // PostgreSQL stores no NUL.
  const reveals = ['a@example.com', 'b\0@example.com', 'c@example.com'].map(makeReveal)
  const settled = await settleReveals(ctx, workspaceId, reveals)
  expect(settled.map(({ kind }) => kind)).toEqual(['acquired', 'failed', 'acquired'])
  expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 98, used: 2 })
})

test('a batch that was committed though nobody knew is run again as what it was', async () => {
  const workspaceId = await makeWorkspace()
  const reveals = ['d@example.com', 'e@example.com'].map(makeReveal)
  const first = await settleReveals(ctx, workspaceId, reveals)
  const again = await settleReveals(ctx, workspaceId, reveals)
  expect(again.map((each) => each.kind === 'acquired' && each.creditsCharged)).toEqual([1, 1])
  const listOf = (each: (typeof again)[number]) => each.kind === 'acquired' && each.listId
  expect(again.map(listOf)).toEqual(first.map(listOf))
  expect(await getBalance(ctx, workspaceId)).toMatchObject({ balance: 98, used: 2 })
})
