import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { setUp } from '../../../test/browser.ts'
import { createPerson } from '../../../test/people.ts'
import { dropOldEntries, listAudit, operator, recordAudit } from './index.ts'
import { selectAuditEntries } from './queries.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
})
afterAll(() => api[Symbol.asyncDispose]())

const page = (limit: number, startingAfter?: string) => ({ limit, startingAfter })
const key = { type: 'key', id: '019a9d5e-0000-7000-8000-00000000000a' } as const

async function workspaceWithEntries() {
  const { workspaceId } = await api.createStranger()
  const ids: string[] = []
  for (const [action, actor] of [
    ['label.created', operator.actor],
    ['label.archived', key],
    ['webhook.disabled', key],
  ] as const) {
    api.ctx.clock.advance(60_000)
    const subjectId = api.ctx.newId()
    await recordAudit(api.ctx, { workspaceId, actor, action, subjectType: 'test', subjectId })
    ids.push(subjectId)
  }
  return { workspaceId, ids }
}

test('the log is read newest first, in pages, and by what is asked for', async () => {
  const { workspaceId, ids } = await workspaceWithEntries()
  const actions = async (filter: Parameters<typeof listAudit>[3]) => {
    const { items } = await listAudit(api.ctx, workspaceId, page(2), filter)
    return items.map(({ action }) => action)
  }
  const first = await listAudit(api.ctx, workspaceId, page(2), {})
  expect(first.items.map(({ action }) => action)).toEqual(['webhook.disabled', 'label.archived'])
  const rest = await listAudit(api.ctx, workspaceId, page(50, first.next_starting_after), {})
  expect(rest.items.map(({ action }) => action)).toEqual(['label.created', 'key.created'])
  expect(rest.next_starting_after).toBeUndefined()

  expect(await actions({ action: 'label.' })).toEqual(['label.archived', 'label.created'])
  expect(await actions({ action: 'label' })).toEqual([])
  expect(await actions({ action: 'label.archived' })).toEqual(['label.archived'])
  expect(await actions({ actorType: 'operator', action: 'label.' })).toEqual(['label.created'])
  expect(await actions({ actorId: key.id })).toEqual(['webhook.disabled', 'label.archived'])
  expect(await actions({ subjectId: ids[1] })).toEqual(['label.archived'])
  const [newest] = first.items
  expect(await actions({ from: newest?.timestamp_created })).toEqual(['webhook.disabled'])
  expect(await actions({ to: newest?.timestamp_created })).toEqual([
    'label.archived',
    'label.created',
  ])
})

test.each<[string, Parameters<typeof selectAuditEntries>[2]]>([
  ['somebody', { actorId: key.id }],
  ['a kind', { action: 'label.' }],
  ['an action', { action: 'label.archived' }],
])('entries of %s are found without reading all others', async (_what, filter) => {
  const { workspaceId } = await workspaceWithEntries()
  const { db, database } = api.ctx
  const { peek } = database
  await sql`
    insert into audit_log (workspace_id, id, actor_type, actor_id, action, subject_type,
      subject_id, details, timestamp_created)
    select ${workspaceId}::uuid, gen_random_uuid(), 'key', ${api.ctx.newId()}::uuid,
      'lead.status_changed', 'lead', gen_random_uuid(), '{}', now()
    from generate_series(1, 5000)`.execute(peek)
  await sql`analyze audit_log`.execute(peek)
  const query = selectAuditEntries(db, workspaceId, filter, undefined, 50)
  const plan = await query.explain('text', sql`analyze`)
  expect(JSON.stringify(plan)).not.toMatch(/Removed by Filter: \d{3}/)
})

test('what is asked for is downloaded with the names of who did it', async () => {
  const owner = await setUp(api)
  const headers = { 'x-workspace-id': api.workspaceId }
  const key = { name: '=Key, "of" a program', scopes: ['campaigns:read'] }
  await owner.call('POST', '/app/oauth/service-accounts', { headers, body: key })
  const { body } = await owner.call('GET', '/app/audit/export.csv?action=key.', { headers })
  const [head, newest, ...rest] = String(body).split('\r\n')
  expect(head).toBe(
    '\ufefftimestamp_created,actor_type,actor_name,actor_id,action,subject_type,subject_id,request_id,details',
  )
  expect(newest).toMatch(/^[\d-]+T[\d:.]+Z,user,Ann Example,[\da-f-]{36},key\.created,key,/)
  // The key of the tests was made at the command line.
  expect(rest).toEqual([expect.stringMatching(/,operator,,,key\.created,key,/), ''])
})

test('who was removed and what was revoked keeps its name in the log', async () => {
  const stranger = await api.createStranger()
  const { workspaceId } = stranger
  const person = await createPerson(api, { email: 'gone@team.example' })
  const own = {
    ...{ workspaceId, action: 'label.created' as const },
    ...{ subjectType: 'label', subjectId: null },
  }
  const { id: keyId } = await api.ctx.database.peek
    .selectFrom('service_accounts')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  await api.ctx.database.peek
    .updateTable('service_accounts')
    .set({ name: 'Leaked', timestamp_revoked: api.ctx.now() })
    .where('id', '=', keyId)
    .execute()
  const unknown = api.ctx.newId()
  for (const actor of [
    operator.actor,
    { type: 'key', id: keyId },
    { type: 'user', id: person.id },
    { type: 'user', id: unknown },
  ] as const) {
    await recordAudit(api.ctx, { ...own, actor })
  }
  const { items } = await listAudit(api.ctx, workspaceId, page(4), {})
  expect(items.map(({ actor_name }) => actor_name)).toEqual([null, 'Test', 'Leaked', null])
})

test('a change of a lead by the API is told with what it was before, and not where nothing changed', async () => {
  const { body: campaign } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'a' } })
  const lead = { campaign_id: campaign.id, email: 'ann@lead.example' }
  const leads = { campaign_id: campaign.id, leads: [{ email: lead.email }] }
  await api.call('POST', '/api/v2/lead/add', { body: leads })
  const set = (new_status: string) =>
    api.call('POST', '/api/v2/lead/update/status', { body: { ...lead, new_status } })
  const { body } = await set('interested')
  await set('interested')
  await set('unsubscribed')
  const filter = { subjectId: body.id }
  const { items } = await listAudit(api.ctx, api.workspaceId, page(50), filter)
  expect(items).toMatchObject([
    { action: 'lead.status_set', details: { status: 'unsubscribed', sending_state: 'stopped' } },
    {
      action: 'lead.status_set',
      actor_type: 'key',
      subject_type: 'lead',
      request_id: expect.any(String),
      details: { previous_status: 'new', status: 'interested', sending_state: 'stopped' },
    },
  ])
  expect(JSON.stringify(items)).not.toContain('lead.example')
})

test('entries past their retention are deleted, of this workspace alone', async () => {
  const [first, second] = [await workspaceWithEntries(), await workspaceWithEntries()]
  const later = {
    ...api.ctx,
    now: () => new Date(api.ctx.now().getTime() + 31 * 86_400_000),
    config: { ...api.ctx.config, auditRetentionDays: 30 },
  }
  await dropOldEntries({ ...later, now: api.ctx.now }, first.workspaceId)
  expect((await listAudit(api.ctx, first.workspaceId, page(50), {})).items).toHaveLength(4)
  await dropOldEntries(later, first.workspaceId)
  expect((await listAudit(api.ctx, first.workspaceId, page(50), {})).items).toEqual([])
  expect((await listAudit(api.ctx, second.workspaceId, page(50), {})).items).toHaveLength(4)
})
