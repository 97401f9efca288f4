import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, openBrowser, setUp } from '../../../test/browser.ts'
import { queryUnchecked } from '../../../test/commands.ts'
import type { TestDatabase } from '../../../test/database.ts'
import { patience } from '../../../test/patience.ts'
import {
  type ShardedApi,
  type ShardedDatabases,
  shardedApi,
  shardedDatabases,
} from '../../../test/sharded.ts'
import { captureStatements } from '../../kernel/db/client.ts'
import { operator } from '../audit/index.ts'
import { addMember } from '../members/index.ts'

let databases: ShardedDatabases
let sharded: ShardedApi
let person: Browser
let userId: string
beforeAll(async () => {
  databases = await shardedDatabases()
  sharded = await shardedApi(databases)
  person = await setUp(asTestApi(sharded))
  userId = (await person.call('GET', '/app/session')).body.user.id
})
afterAll(async () => {
  await sharded[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

/** The parts that take a test's own context need its clock and its log nowhere here. */
const asTestApi = ({ api }: ShardedApi) => api as unknown as TestApi

async function answerOf(workspaceId: string, browser = person) {
  const headers = { 'x-workspace-id': workspaceId }
  const { status, body } = await browser.call('GET', '/app/labels', { headers })
  return `${status} ${body.message ?? 'ok'}`
}

async function createWorkspace(name: string, { shard = 'b', isMember = true } = {}) {
  const { id: workspaceId } = await sharded.createOn(shard, name)
  const member = { workspaceId, userId, role: 'viewer' } as const
  if (isMember) await addMember(sharded.shards.byName(shard).ctx, member, operator)
  return workspaceId
}

/** As moves leave it. */
const setPlace = (database: TestDatabase, workspaceId: string, change: string) =>
  queryUnchecked(
    database,
    `begin; set local outrider.mover = 'on'; update workspaces set ${change} where id = '${workspaceId}'; commit`,
  )

const notMember = '403 You are not a member of this workspace: choose another.'
const isMoved = '503 The workspace is being moved to another database; try again shortly.'
const isLost = '404 There is no such workspace any more.'

test.each([
  ['is there', 'moved_to = null', '200 ok', notMember],
  ['is being moved', `moving_to = 'first'`, '200 ok', notMember],
  ['is between two shards', `moving_to = 'first', moved_to = 'first'`, isMoved, isMoved],
  [
    'has gone to a shard that has it no more',
    `moved_to = 'first', is_emptied = true`,
    isMoved,
    isMoved,
  ],
  ['has gone to a shard that was taken out', `moved_to = 'gone'`, isMoved, isMoved],
  [
    'was lost with a shard that was taken out',
    `moved_to = 'gone', is_emptied = true`,
    isLost,
    isLost,
  ],
])(
  'who asks for a workspace that %s is told so, and else whether they are a member',
  async (name, change, own, others) => {
    const workspaces = [
      await createWorkspace(name),
      await createWorkspace(`${name} for others`, { isMember: false }),
    ]
    const answers = (browser?: Browser) =>
      Promise.all(workspaces.map((workspaceId) => answerOf(workspaceId, browser)))
    expect(await answers()).toEqual(['200 ok', notMember])
    for (const workspaceId of workspaces) await setPlace(databases.second, workspaceId, change)
    // Here it is remembered on b, and there it was never asked for.
    expect(await answers()).toEqual([own, others])
    await using fresh = await shardedApi(databases)
    const browser = openBrowser(asTestApi(fresh))
    for (const [key, value] of person.cookies) browser.cookies.set(key, value)
    expect(await answers(browser)).toEqual([own, others])
  },
)

test.each([
  '/app/leads/export.csv',
  '/app/suppressions/export.csv',
  '/app/audit/export.csv',
  '/app/imports/00000000-0000-7000-8000-000000000001/report.csv',
])('a link to %s lets nobody into a workspace that they are no member of', async (path) => {
  const stranger = { isMember: false }
  for (const shard of ['first', 'b']) {
    const workspaceId = await createWorkspace(`${path} on ${shard}`, { ...stranger, shard })
    const { status, body } = await person.call('GET', `${path}?workspace=${workspaceId}`)
    expect(`${status} ${body.message}`).toBe(notMember)
  }
})

test('a workspace that no shard has is none that a person is a member of, and unknown while one is away', async () => {
  const unknown = sharded.api.ctx.newId()
  expect(await answerOf(unknown)).toBe(notMember)
  expect(await answerOf('no id')).toBe(notMember)
  databases.takeAway()
  try {
    expect(await answerOf(unknown)).toMatch(/^503 The database of the shard b is not reachable/)
    expect(await answerOf('no id')).toBe(notMember)
  } finally {
    databases.bringBack()
  }
  await vi.waitFor(async () => expect(await answerOf(unknown)).toBe(notMember), patience)
})

test('with one database a workspace that has left it has no members', async () => {
  await using api = await testApi()
  const browser = await setUp(api)
  expect(await answerOf(api.workspaceId, browser)).toBe('200 ok')
  await setPlace(api.ctx.database, api.workspaceId, `moved_to = 'gone'`)
  expect(await answerOf(api.workspaceId, browser)).toBe(notMember)
})

// The last one: what it captures is kept from the check of statements.
test.each(['first', 'b'])(
  'a person is let into a workspace of %s by one statement, which says as well that it lies there',
  async (shard) => {
    const workspaceId = await createWorkspace(`let into on ${shard}`, { shard })
    expect(await answerOf(workspaceId)).toBe('200 ok')
    const texts: string[] = []
    captureStatements((text) => texts.push(text))
    onTestFinished(() => captureStatements(undefined))
    expect(await answerOf(workspaceId)).toBe('200 ok')
    const asked = texts.filter((text) => /\b(?:workspaces|memberships)\b/.test(text))
    expect(asked).toEqual([expect.stringMatching(/moved_to.*role/)])
  },
)
