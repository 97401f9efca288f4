// Also runs through PgBouncer: long work in many transactions.
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { setUp } from '../../../test/browser.ts'
import { importer, manyRows } from '../../../test/imports.ts'
import { patience } from '../../../test/patience.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { deleteUnsentWithLeads } from '../leads/delete-unsent.ts'
import { exportLeads } from '../leads/lists/export-csv.ts'
import { readFilter } from '../leads/lists/filter.ts'
import { suppress } from '../suppression/index.ts'
import { setPlan } from '../workspaces/index.ts'
import { cancelImport, changeImport, createImport, putPart, startImport } from './imports.ts'
import { dropOldImports, ImportRunner } from './index.ts'
import { writeReport } from './report.ts'
import type { ColumnTarget } from './schema.ts'

let api: TestApi
let imports: ReturnType<typeof importer>
let campaign_id: string
beforeEach(async () => {
  api = await testApi()
  imports = importer(api)
  campaign_id = await createCampaign('Autumn')
})
afterEach(() => api[Symbol.asyncDispose]())

async function createCampaign(name: string): Promise<string> {
  return (await api.call('POST', '/api/v2/campaigns', { body: { name } })).body.id
}

const addLeads = (campaign: string, ...emails: string[]) =>
  api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign, leads: emails.map((email) => ({ email, first_name: 'Old' })) },
  })

const lead = async (email: string) =>
  (await api.call('GET', `/api/v2/lead/get?campaign_id=${campaign_id}&email=${email}`)).body

const leadCount = async () =>
  (await api.call('GET', `/api/v2/campaigns/${campaign_id}`)).body.lead_counts.total

const report = async (id: string) => {
  let text = ''
  for await (const piece of await writeReport(api.ctx, api.workspaceId, id)) text += piece
  return text
}

/** A row for each thing that can be wrong with one. */
const everything = [
  'Full name,E-mail,Seats',
  'Ann van Dyck,Ann <ANN@fresh.example>,12',
  'Nobody,not an address,1',
  'Ann again,ann@fresh.example,2',
  '',
  'Bob,old@there.example,3',
  'Carla,asked@stop.example,4',
  'Dora,x@rival.example,5',
  'Emil,else@where.example,6',
  'Fritz,fritz@fresh.example,7,more,more',
  `Gerd,gerd@fresh.example,${'9'.repeat(4001)}`,
  'Hugo,hugo@fresh.example,8',
].join('\r\n')

async function fillWorkspace() {
  await addLeads(campaign_id, 'old@there.example')
  await addLeads(await createCampaign('Winter'), 'else@where.example')
  await transaction(api.ctx, (tx) =>
    suppress(
      tx,
      api.workspaceId,
      [
        ...[{ kind: 'address', value: 'asked@stop.example', reason: 'unsubscribed' } as const],
        ...[{ kind: 'domain', value: 'rival.example', reason: 'blocked' } as const],
      ].map((entry) => ({ ...entry, campaignId: null })),
    ),
  )
}

test('each row ends in one number or has a reason, and the check tells before what the import does', async () => {
  await fillWorkspace()
  const { id } = await imports.send(everything, { campaign_id, duplicates: 'skip_anywhere' })
  const checked = await imports.check(id)
  expect(checked).toMatchObject({ state: 'checked', result: null })
  expect(await leadCount()).toBe(1)
  const outcome = {
    ...{ rows: 10, added: 2, updated: 0, problem: null },
    skipped: {
      ...{ invalid_email: 1, duplicate_in_file: 1, already_in_campaign: 1, unsubscribed: 1 },
      ...{ in_blocklist: 1, in_workspace: 1, too_many_fields: 1, too_long: 1 },
    },
  }
  expect(checked.checked).toMatchObject(outcome)
  // As a spreadsheet counts: the headings are row 1, and an empty row is one, too.
  expect(checked.checked?.first_skipped.map(({ row, reason }) => [row, reason])).toEqual([
    ...[
      [3, 'invalid_email'],
      [4, 'duplicate_in_file'],
      [6, 'already_in_campaign'],
    ],
    ...[
      [7, 'unsubscribed'],
      [8, 'in_blocklist'],
      [9, 'in_workspace'],
    ],
    ...[
      [10, 'too_many_fields'],
      [11, 'too_long'],
    ],
  ])
  const done = await imports.start(id)
  expect(done).toMatchObject({ state: 'finished', preview: null, bytes_done: everything.length })
  expect(done.result).toMatchObject(outcome)
  expect(await leadCount()).toBe(3)
  expect(await lead('ann@fresh.example')).toMatchObject({
    ...{ first_name: 'Ann van', last_name: 'Dyck', custom_variables: { seats: '12' } },
  })
  const lines = (await report(id)).trim().split('\r\n')
  expect(lines).toHaveLength(9)
  expect(lines[1]).toBe(
    'Nobody,not an address,1,3,invalid_email,E-mail,There is no valid e-mail address in it or more than one.',
  )
  const { peek } = api.ctx.database
  expect(await peek.selectFrom('import_parts').selectAll().execute()).toEqual([])
})

test('the report has its rows as they are in the file, and mended it is imported as any other', async () => {
  const rows = [
    ...['Email;Seats;Reason;Größe', 'no address;12;"likes; it";=1+1', 'ann@fresh.example;3;x;y'],
    ...['bob@fresh.example;4;x;y;z', `nobody;5;${'long '.repeat(2000)};y`],
  ]
  const first = await imports.send(rows.join('\r\n'), { campaign_id })
  await imports.start(first.id)
  const told = await report(first.id)
  const why = 'There is no valid e-mail address in it or more than one.'
  expect(told.slice(1).trimEnd().split('\r\n')).toEqual([
    'Email,Seats,Reason,Größe,import_row,import_reason,import_column,import_explanation',
    `no address,12,likes; it,'=1+1,2,invalid_email,Email,${why}`,
    'bob@fresh.example,4,x,y,4,too_many_fields,,The row has more fields than there are columns.,z',
    // Of a very long one the address is kept alone.
    `nobody,,,,5,invalid_email,Email,${why}`,
  ])
  const second = await imports.send(told.replace('no address', 'eve@fresh.example'), {
    campaign_id,
  })
  expect(await imports.start(second.id)).toMatchObject({
    result: { added: 1, skipped: { too_many_fields: 1, invalid_email: 1 } },
  })
  expect((await lead('eve@fresh.example')).custom_variables).toEqual({
    ...{ seats: '12', reason: 'likes; it', größe: '=1+1' },
  })
  const again = await report(second.id)
  expect(again.split('\r\n')[0]).toBe(told.split('\r\n')[0])
  const third = await imports.send(again.replace(',z', ''), { campaign_id })
  expect(await imports.start(third.id)).toMatchObject({ result: { added: 1 } })
})

test('of the first 10,000 rows that can be mended all is kept, of the others the address alone', async () => {
  const rows = Array.from({ length: 10_001 }, (_, at) => `nobody${at},Name ${at}`)
  const known = ['ann@mended.example,A', 'ann@mended.example,A']
  const text = `email,note\n${[...known, ...rows].join('\n')}`
  const { id } = await imports.send(text, { campaign_id })
  await imports.check(id)
  const lines = (await report(id)).trim().split('\r\n')
  expect(lines[1]?.split(',').slice(0, 4)).toEqual([
    ...['ann@mended.example', '', '3', 'duplicate_in_file'],
  ])
  expect(lines.slice(-2).map((line) => line.split(',').slice(0, 3))).toEqual([
    ['nobody9999', 'Name 9999', '10003'],
    ['nobody10000', '', '10004'],
  ])
  const { result } = await imports.start(id)
  expect(result?.added).toBe(1)
  const { peek } = api.ctx.database
  const left = peek.selectFrom('import_skipped').select('is_check').distinct()
  expect(await left.where('import_id', '=', id).execute()).toEqual([{ is_check: false }])
})

test('a cell with the addresses of several people makes no lead, and one with its address twice does', async () => {
  const several = [
    'Ann <ann@pair.example>, Bob <bob@pair.example>',
    'Ann <ann@pair.example>; Bob <bob@pair.example>',
    'ann@pair.example, Bob <bob@pair.example>',
    "'ann@pair.example'; Bob <bob@pair.example>",
    'ann@pair.example, bob@pair.example',
  ]
  const one = ['ADA@one.example <ada@one.example>', '"Lovelace, Eve" <eve@one.example>']
  const cells = [...several, ...one, "Sales @ One <o'neil@one.example>"]
  const rows = cells.map((cell) => `"${cell.replaceAll('"', '""')}",Ann\n`)
  const { id } = await imports.send(`email,first_name\n${rows.join('')}`, { campaign_id })
  const { result } = await imports.start(id)
  expect(result).toMatchObject({ added: 3, skipped: { invalid_email: 5 } })
  expect(result?.first_skipped.map(({ email }) => email)).toEqual(several)
})

test('a name that is parted is no longer than what the API takes, so that its lead can be sent back', async () => {
  const name = (letters: number) => `${'x'.repeat(letters)} B`
  const rows = `email,full name\nann@long.example,${name(998)}\nbob@long.example,${name(999)}\n`
  const { id } = await imports.send(rows, { campaign_id })
  expect((await imports.start(id)).result).toMatchObject({ added: 1, skipped: { too_long: 1 } })
  const { first_name, last_name } = await lead('ann@long.example')
  const leads = [{ email: 'ann@long.example', first_name, last_name }]
  const { status } = await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id, leads, overwrite: true },
  })
  expect(status).toBe(200)
})

test('who is there already is updated where that is wanted', async () => {
  await addLeads(campaign_id, 'old@there.example')
  const { id } = await imports.send('email,first_name\nold@there.example,New\n', {
    ...{ campaign_id, duplicates: 'update' },
  })
  expect((await imports.check(id)).checked).toMatchObject({ added: 0, updated: 1 })
  expect(await lead('old@there.example')).toMatchObject({ first_name: 'Old' })
  expect((await imports.start(id)).result).toMatchObject({ added: 0, updated: 1 })
  expect(await lead('old@there.example')).toMatchObject({ first_name: 'New' })
})

test('a check that a change of the import ends has no report any more', async () => {
  const { id } = await imports.send('email,first_name\nnobody,New\n', { campaign_id })
  await imports.check(id)
  expect(await report(id)).toContain('nobody,New,2,invalid_email')
  expect(await imports.change(id, { duplicates: 'update' })).toMatchObject({ checked: null })
  expect((await report(id)).trim().split('\r\n')).toHaveLength(1)
})

test('columns become what somebody says, and a file in UTF-16 keeps its letters', async () => {
  const file = Buffer.from('\ufeffMail\tName\tStadt\nyuki@import.example\t雪\tKöln\n', 'utf16le')
  const { id, mapping } = await imports.send(file, { campaign_id })
  expect(mapping?.map(({ target }) => target)).toEqual(['email', 'full_name', 'variable'])
  const others: ColumnTarget[] = [{ target: 'skip' }, { target: 'variable', variable: 'city' }]
  await imports.change(id, { mapping: [{ target: 'skip' }, ...others] })
  await expect(imports.check(id)).rejects.toThrow('Say which column holds the e-mail address.')
  await imports.change(id, { mapping: [{ target: 'email' }, ...others] })
  expect((await imports.start(id)).result).toMatchObject({ added: 1 })
  expect(await lead('yuki@import.example')).toMatchObject({
    ...{ first_name: null, custom_variables: { city: 'Köln' } },
  })
})

test('a column becomes no variable without a name', async () => {
  const owner = await setUp(api)
  const { id } = await imports.send('email,city\nann@x.example,Oslo\n', { campaign_id })
  const named = (variable: string) =>
    owner.call('PATCH', `/app/imports/${id}`, {
      headers: { 'x-workspace-id': api.workspaceId },
      body: { mapping: [{ target: 'email' }, { target: 'variable', variable }] },
    })
  for (const name of ['', ' \t']) {
    expect(await named(name)).toMatchObject({
      ...{ status: 400, body: { details: [{ path: '/mapping/1/variable' }] } },
    })
  }
  expect((await named(' city ')).body.mapping[1]).toEqual({ target: 'variable', variable: 'city' })
})

test('a quote that is not closed is found by the check, with its row, and nothing is imported', async () => {
  const rows = 'email,name\na@x.example,Ann\nb@x.example,"Bob\nc@x.example,Carla\n'
  const { id } = await imports.send(rows, { campaign_id })
  const { checked } = await imports.check(id)
  expect(checked).toMatchObject({ added: 1, problem: expect.stringContaining('a quote in row 3') })
  await expect(imports.start(id)).rejects.toThrow('a quote in row 3')
  expect(await leadCount()).toBe(0)
})

test('a quote that is not closed swallows nobody below it, also where another one follows', async () => {
  const rows =
    'email,company\na@x.example,"A\nLtd"\nb@x.example,"Acme\nc@x.example,"Foo\nd@x.example,Bar\n'
  const { id } = await imports.send(rows, { campaign_id })
  const { checked } = await imports.check(id)
  expect(checked).toMatchObject({ added: 1, problem: expect.stringContaining('a quote in row 3') })
  await expect(imports.start(id)).rejects.toThrow('a quote in row 3')
  expect(await leadCount()).toBe(0)
})

test('what stands in a column without heading is imported', async () => {
  const rows = 'email,first_name,\nann@x.example,Ann,VIP\nbob@x.example,Bob,\n'
  const { id } = await imports.send(rows, { campaign_id })
  expect((await imports.start(id)).result).toMatchObject({ rows: 2, added: 2, skipped: {} })
  expect((await lead('ann@x.example')).custom_variables).toEqual({ column_3: 'VIP' })
})

test('spaces to the right of the columns keep nobody from being imported', async () => {
  const rows = 'email,first_name\nann@x.example,Ann, \nbob@x.example,Bob,,\t\n'
  const { id } = await imports.send(rows, { campaign_id })
  expect((await imports.start(id)).result).toMatchObject({ rows: 2, added: 2, skipped: {} })
})

test('the line that announces the separator is counted as no row', async () => {
  const { id } = await imports.send('sep=;\nann@x.example;Ann\n', { campaign_id })
  await imports.change(id, { mapping: [{ target: 'email' }, { target: 'first_name' }] })
  expect((await imports.start(id)).result).toMatchObject({ rows: 1, added: 1, skipped: {} })
})

test('what the plan has no room for is told before', async () => {
  await setPlan(api.ctx, api.workspaceId, { leadsMax: 5 })
  const { id } = await imports.send(manyRows(8), { campaign_id })
  const { checked } = await imports.check(id)
  expect(checked?.problem).toContain('room for 5 more leads, and the file has 8')
})

test('without leads in the plan none are imported or corrected, and what is there is seen, stopped and ended', async () => {
  const owner = await setUp(api)
  const headers = { 'x-workspace-id': api.workspaceId }
  await addLeads(campaign_id, 'old@there.example')
  const { id: leadId } = await lead('old@there.example')
  const { id } = await imports.send(manyRows(3), { campaign_id })
  await setPlan(api.ctx, api.workspaceId, { api: false })
  const call = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
    owner.call(method, `/app${path}`, { headers, body })
  const input = { file_name: 'leads.csv', file_bytes: 10, campaign_id }
  const refused = [
    await call('POST', '/imports', input),
    await call('PATCH', `/imports/${id}`, { duplicates: 'update' }),
    await call('POST', `/imports/${id}/check`),
    await call('POST', `/imports/${id}/start`),
    await call('PATCH', `/leads/${leadId}`, { first_name: 'New' }),
  ]
  expect(refused.map(({ body }) => body.code)).toEqual(refused.map(() => 'plan_required'))
  // What keeps somebody from being written to, and what a conversation is labelled, asks for no plan.
  const stops = await call('POST', '/leads/bulk', { action: 'unsubscribe', ids: [leadId] })
  expect(stops).toMatchObject({ status: 200, body: { changed: 1 } })
  for (const path of [`/imports/${id}`, `/leads/${leadId}`, `/leads?campaign_id=${campaign_id}`])
    expect((await call('GET', path)).status).toBe(200)
  expect((await call('POST', `/imports/${id}/cancel`)).body.state).toBe('cancelled')
})

test('a file of many parts comes in any order, and one that got lost is sent again', async () => {
  const file = `email,note\n${Array.from({ length: 9000 }, (_, at) => `p${at}@large.example,${'n'.repeat(1000)}\n`).join('')}`
  const { id, parts_total, state } = await imports.send(file, { campaign_id })
  expect([parts_total, state]).toEqual([3, 'ready'])
  const done = await imports.start(id)
  expect(done.result).toMatchObject({ rows: 9000, added: 9000 })
  expect(await leadCount()).toBe(9000)
})

test('two tabs that send one file keep it once, and another file of its size is refused', async () => {
  const large = (name: string) => Buffer.from(`email\n${`${name}@large.example\n`.repeat(300_000)}`)
  const file = large('a')
  const by = { actor: { type: 'user', id: api.ctx.newId() } as const }
  const begun = { file_name: 'large.csv', file_bytes: file.length, campaign_id }
  const { id, part_bytes } = await createImport(api.ctx, api.workspaceId, begun, by)
  const send = (bytes: Buffer, number: number) => {
    const content = bytes.subarray((number - 1) * part_bytes, number * part_bytes)
    return putPart(api.ctx, api.workspaceId, id, { number, content }, by)
  }
  await Promise.all([send(file, 1), send(file, 1)])
  await imports.change(id, { mapping: [{ target: 'email' }] })
  await expect(send(large('b'), 2)).resolves.toMatchObject({ state: 'ready' })
  await expect(send(file, 1)).resolves.toMatchObject({ state: 'ready' })
  await expect(send(file, 2)).rejects.toMatchObject({
    code: 'invalid_field',
    message: expect.stringContaining('cancel this import and begin anew'),
  })
})

test('a file that goes on being sent when another person has signed in is refused', async () => {
  const { ctx, workspaceId } = api
  const content = Buffer.from('email\nann@other.example\n')
  const person = () => ({ actor: { type: 'user', id: ctx.newId() } as const })
  const [ann, bob] = [person(), person()]
  const input = { file_name: 'leads.csv', file_bytes: content.length, campaign_id }
  const { id } = await createImport(ctx, workspaceId, input, ann)
  const send = (by: typeof ann) => putPart(ctx, workspaceId, id, { number: 1, content }, by)
  await expect(send(bob)).rejects.toMatchObject({ code: 'not_eligible' })
  expect((await imports.get(id)).parts_missing).toEqual([1])
  expect(await send(ann)).toMatchObject({ state: 'ready' })
})

test('while the disk of the database is full a part is refused with what to do, and sent again it is kept', async () => {
  const owner = await setUp(api)
  const { peek } = api.ctx.database
  const headers = { 'x-workspace-id': api.workspaceId }
  const bytes = Buffer.from('email\nann@full.example\n')
  const input = { file_name: 'leads.csv', file_bytes: bytes.length, campaign_id }
  const { body: begun } = await owner.call('POST', '/app/imports', { headers, body: input })
  await sql`
    create function refuse_part() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`.execute(
    peek,
  )
  await sql`
    create trigger full_disk before insert on import_parts
    for each row execute function refuse_part()`.execute(peek)
  const send = () =>
    api.app.inject({
      ...{ method: 'PUT', url: `/app/imports/${begun.id}/parts/1`, payload: bytes },
      headers: {
        ...headers,
        'content-type': 'application/octet-stream',
        'sec-fetch-site': 'same-origin',
        cookie: [...owner.cookies].map((pair) => pair.join('=')).join('; '),
      },
    })
  const refused = await send()
  expect(refused.json()).toMatchObject({ statusCode: 503, code: 'unavailable' })
  expect(refused.json().message).toContain('storage of the database is full')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await imports.get(begun.id)).parts_missing).toEqual([1])
  await sql`drop trigger full_disk on import_parts`.execute(peek)
  expect((await send()).json()).toMatchObject({ state: 'ready', parts_missing: [] })
})

test('who gives a part a wrong number is told so, and not that the id is wrong', async () => {
  const owner = await setUp(api)
  const headers = { 'x-workspace-id': api.workspaceId }
  const send = async (path: string) =>
    (await owner.call('PUT', `/app/imports/${path}`, { headers, body: {} })).body.message
  const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
  expect(await send(`${id}/parts/0`)).toBe('No such record: in the path number must be at least 1.')
  expect(await send('x/parts/1')).toBe('No such record: in the path id must be a UUID.')
})

test('an import that is cancelled adds nothing more; what it had added stays', async () => {
  const { id } = await imports.send(manyRows(3000), { campaign_id })
  await imports.begin(id)
  await imports.runner.look()
  await expect.poll(async () => (await imports.get(id)).row_done, patience).toBeGreaterThan(0)
  const by = { actor: { type: 'user', id: null } as const }
  await cancelImport(api.ctx, api.workspaceId, id, by)
  await imports.runner.idle()
  const { state, result } = await imports.get(id)
  expect(state).toBe('cancelled')
  expect(await leadCount()).toBe(result?.added)
})

test('a process that stops leaves the rest to another, which repeats nothing', async () => {
  const { id } = await imports.send(manyRows(4000), { campaign_id })
  await imports.begin(id)
  await imports.runner.look()
  await expect.poll(async () => (await imports.get(id)).row_done, patience).toBeGreaterThan(0)
  await imports.runner.stop()
  const { row_done } = await imports.get(id)
  expect(row_done).toBeLessThan(4001)
  const other = importer(api)
  await other.run()
  expect((await other.get(id)).state).toBe('running')
  // As long as nobody knows that the first one is gone, nothing is taken from it.
  api.ctx.clock.advance(api.ctx.config.leaseMs + 1)
  await other.run()
  expect(await other.get(id)).toMatchObject({
    ...{ state: 'finished', result: { rows: 4000, added: 4000, skipped: {} } },
  })
  expect(await leadCount()).toBe(4000)
})

test('files that nobody goes on with are gone after a day, and lists forget imports of long ago', async () => {
  const { id } = await imports.send(manyRows(3), { campaign_id })
  api.ctx.clock.advance(86_401_000)
  await dropOldImports(api.ctx, api.workspaceId)
  expect(await imports.get(id)).toMatchObject({ state: 'cancelled', preview: null })
  const { peek } = api.ctx.database
  const parts = await sql`select 1 from import_parts`.execute(peek)
  expect(parts.rows).toEqual([])
  api.ctx.clock.advance(91 * 86_400_000)
  await dropOldImports(api.ctx, api.workspaceId)
  await expect(imports.get(id)).rejects.toThrow('No such import')
})

test.each(['running', 'ready'] as const)(
  'an import that somebody has just gone on with, so that it is %s, is not taken for one that nobody goes on with',
  async (state) => {
    const { ctx, workspaceId } = api
    const { id, timestamp_updated: seen } = await imports.send(manyRows(3), { campaign_id })
    ctx.clock.advance(86_401_000)
    const changed = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const goingOn = transaction(ctx, async (tx) => {
      if (state === 'running') await startImport(tx, workspaceId, id, { seen, by: operator })
      else await changeImport(tx, workspaceId, id, { duplicates: 'update' })
      changed.resolve()
      await released.promise
    })
    await changed.promise
    const dropped = dropOldImports(ctx, workspaceId)
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`
        select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and wait_event = 'transactionid'`.execute(
        ctx.database.peek,
      )
      return rows[0]?.count
    }
    await expect.poll(waiting, patience).toBe(1)
    released.resolve()
    await Promise.all([goingOn, dropped])
    expect(await imports.get(id)).toMatchObject({ state, error: null })
  },
)

test('what the plan has no room for is told with what was added before', async () => {
  await setPlan(api.ctx, api.workspaceId, { leadsMax: 1500 })
  const { id } = await imports.send(manyRows(2500), { campaign_id })
  const { state, error, result } = await imports.start(id)
  expect({ state, added: result?.added }).toEqual({ state: 'failed', added: 1000 })
  expect(error).toBe(
    'The plan has room for 500 more leads and these would be 1000: none of them was added. Rows up to 1001 were imported before.',
  )
})

test('an import whose end the database refuses is taken up again and ends the same', async () => {
  await setPlan(api.ctx, api.workspaceId, { leadsMax: 5 })
  const { id } = await imports.send(manyRows(8), { campaign_id })
  const { peek } = api.ctx.database
  await sql`
    create function refuse_end() returns trigger language plpgsql as
      $$ begin raise exception 'no lock' using errcode = '55P03'; end $$`.execute(peek)
  await sql`
    create trigger away before update on imports
    for each row when (new.state = 'failed') execute function refuse_end()`.execute(peek)
  expect(await imports.start(id)).toMatchObject({ state: 'running', error: null })
  expect(api.ctx.logLines.filter((line) => line.includes('an import is tried again'))).toHaveLength(
    1,
  )
  await sql`drop trigger away on imports`.execute(peek)
  api.ctx.clock.advance(api.ctx.config.leaseMs + 1)
  await imports.run()
  expect(await imports.get(id)).toMatchObject({
    ...{ state: 'failed', error: expect.stringContaining('room for 5 more leads') },
  })
})

test('a row whose address is not written in the encoding of the file is left out', async () => {
  const rows = Buffer.concat([
    Buffer.from(manyRows(8000)),
    Buffer.from('müller@lead.example,Eva,Y\n', 'latin1'),
  ])
  const { id, encoding } = await imports.send(rows, { campaign_id })
  expect(encoding).toBe('utf-8')
  expect((await imports.start(id)).result).toMatchObject({
    ...{ added: 8000, skipped: { wrong_encoding: 1 } },
  })
})

test('a column becomes a variable of whatever name', async () => {
  const { id } = await imports.send('email,a,b,c\nann@lead.example,1,2,3\n', { campaign_id })
  await imports.change(id, {
    mapping: [
      { target: 'email' },
      ...['__proto__', 'constructor', 'size "XL"'].map(
        (variable) => ({ target: 'variable', variable }) as const,
      ),
    ],
  })
  await imports.start(id)
  const { custom_variables } = await lead('ann@lead.example')
  expect(new Map(Object.entries(custom_variables))).toEqual(
    new Map([
      ['__proto__', '1'],
      ['constructor', '2'],
      ['size "XL"', '3'],
    ]),
  )
})

test('an import that is taken up stays with who reads the rows that are done, however long that takes', async () => {
  const { id } = await imports.send(manyRows(40_000), { campaign_id })
  await imports.begin(id)
  const { clock, config, database } = api.ctx
  const readClaim = async () => {
    const found = database.peek.selectFrom('imports').select('claim')
    return (await found.executeTakeFirstOrThrow()).claim
  }
  await database.peek.updateTable('imports').set({ row_done: 39_999 }).execute()
  // Each time that it looks at the clock, a sixth of a lease has passed.
  const now = () => {
    clock.advance(config.leaseMs / 6)
    return clock.now()
  }
  const { runner: slow } = importer({ ...api, ctx: { ...api.ctx, now } })
  await slow.look()
  const [claim, begunMs] = [await readClaim(), clock.now().getTime()]
  let isReading = true
  const reading = slow.idle().then(() => {
    isReading = false
  })
  let looksAfterLease = 0
  while (isReading) {
    await imports.runner.look()
    // Null: it has ended.
    expect([claim, null]).toContain(await readClaim())
    if (clock.now().getTime() - begunMs > config.leaseMs) looksAfterLease += 1
  }
  await reading
  expect(looksAfterLease).toBeGreaterThan(0)
  expect(await imports.get(id)).toMatchObject({ state: 'finished', result: { rows: 2, added: 2 } })
})

test('leads that were exported are the same when their file is imported elsewhere', async () => {
  const known = {
    ...{
      email: '+ann@lead.example',
      first_name: "D'Arcy",
      company_name: '=1+1',
      phone: '+49 30 1',
    },
    job_title: '@home',
  }
  const custom_variables = {
    ...{ note: '-2+3', quoted: "'no formula", n: '-7', Plan: 'Pro', plan: 'lower', teamSize: '7' },
    ...{ 'Team Size': '8', '=sum': '9', status: 'ours', Status: 'theirs', campaign: 'Spring' },
    ...{ title: 'Dr', First_Name: 'Anna', email: 'another', [`${'x'.repeat(62)}😀!`]: 'long' },
  }
  const from = await createCampaign('From')
  await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: from, leads: [{ ...known, custom_variables }] },
  })
  let file = ''
  const filter = readFilter({ campaign_id: from })
  const all = { ids: undefined, excluded: [] }
  for await (const piece of exportLeads(api.ctx, api.workspaceId, filter, all)) file += piece
  expect(file).toContain("'=1+1")
  const { id } = await imports.send(file, { campaign_id })
  expect((await imports.start(id)).result).toMatchObject({ added: 1, skipped: {} })
  expect(await lead(encodeURIComponent(known.email))).toMatchObject(known)
  const variables = async () => (await lead(encodeURIComponent(known.email))).custom_variables
  expect(await variables()).toEqual(custom_variables)
  const edited = file.replace('Pro', 'Max')
  const update = await imports.send(edited, { campaign_id, duplicates: 'update' })
  expect((await imports.start(update.id)).result).toMatchObject({ updated: 1, skipped: {} })
  expect(await variables()).toEqual({ ...custom_variables, Plan: 'Max' })
})

test('a lead that its own file updates keeps booleans and numbers, and a corrected one becomes such', async () => {
  const custom_variables = {
    ...{ customer: false, seats: 12, rate: -1.5, text: 'false', digits: '7' },
    ...{ left: 3, capital: false, word: true, code: 4 },
  }
  await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id, leads: [{ email: 'ann@lead.example', custom_variables }] },
  })
  let file = ''
  const all = { ids: undefined, excluded: [] }
  for await (const piece of exportLeads(api.ctx, api.workspaceId, readFilter({}), all))
    file += piece
  const variables = async () => (await lead('ann@lead.example')).custom_variables
  const update = async (text: string) => {
    const { id } = await imports.send(text, { campaign_id, duplicates: 'update' })
    expect((await imports.start(id)).result).toMatchObject({ updated: 1, skipped: {} })
  }
  await update(file)
  expect(await variables()).toEqual(custom_variables)
  await update('email,customer,seats,capital,word,code\nann@lead.example,true,13,FALSE,yes,007\n')
  expect(await variables()).toEqual({
    ...custom_variables,
    ...{ customer: true, seats: 13, capital: false, word: 'yes', code: '007' },
  })
})

test('an encoding that the file is not written in shows what it makes of it', async () => {
  const file = Buffer.from('email,name\nann@lead.example,Zoë\n', 'utf16le')
  const { id } = await imports.send(file, { campaign_id })
  expect((await imports.change(id, { encoding: 'windows-1252' })).state).toBe('ready')
  const { preview } = await imports.change(id, { encoding: 'utf-16le' })
  expect(preview).toEqual({ headings: ['email', 'name'], rows: [['ann@lead.example', 'Zoë']] })
})

test('a character that is cut where no more is shown keeps nobody from importing', async () => {
  const [long, address] = [`${'x'.repeat(199)}😀`, `${'x'.repeat(253)}😀`]
  const { id } = await imports.send(`email,${long}\nann@lead.example,${long}\n${address},no\n`, {
    campaign_id,
  })
  expect((await imports.start(id)).result).toMatchObject({
    added: 1,
    skipped: { invalid_email: 1 },
  })
})

test('an update that would give a lead too many variables is left out, and says so', async () => {
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`v${at}`, at]))
  await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id, leads: [{ email: 'full@lead.example', custom_variables: many }] },
  })
  const file = 'email,a,b\nann@lead.example,1,2\nfull@lead.example,1,2\nbob@lead.example,1,2\n'
  const { id } = await imports.send(file, { campaign_id, duplicates: 'update' })
  const outcome = { rows: 3, added: 2, updated: 0, skipped: { too_many_variables: 1 } }
  expect(await imports.check(id)).toMatchObject({ state: 'checked', checked: outcome })
  expect(await imports.start(id)).toMatchObject({ state: 'finished', result: outcome })
  expect(await report(id)).toContain('full@lead.example,1,2,3,too_many_variables,')
})

test('an import that somebody else has changed since it was seen is not started', async () => {
  const { id } = await imports.send(manyRows(3), { campaign_id })
  const { timestamp_updated: seen } = await imports.check(id)
  await imports.change(id, { duplicates: 'update' })
  const by = operator
  await expect(startImport(api.ctx, api.workspaceId, id, { seen, by })).rejects.toMatchObject({
    code: 'version_conflict',
  })
  expect((await imports.get(id)).state).toBe('ready')
  // Also where it was checked anew: that may tell of other rows.
  await imports.check(id)
  await expect(startImport(api.ctx, api.workspaceId, id, { seen, by })).rejects.toMatchObject({
    code: 'version_conflict',
  })
  expect(await imports.start(id)).toMatchObject({ state: 'finished', result: { added: 3 } })
})

test('a file stays when the campaign that it was for is deleted before it is imported', async () => {
  const { id } = await imports.send(manyRows(3), { campaign_id })
  await deleteUnsentWithLeads(api.ctx, api.workspaceId, campaign_id, operator)
  for (const begin of [imports.check, imports.begin]) {
    await expect(begin(id)).rejects.toThrow('Choose the campaign')
  }
  await imports.change(id, { campaign_id: await createCampaign('Another') })
  expect(await imports.start(id)).toMatchObject({ state: 'finished', result: { added: 3 } })
})

test('the many files of one workspace do not keep the list of another waiting', async () => {
  const begun = async (owner: TestApi, campaign: string) => {
    const its = importer(owner)
    const { id } = await its.send(manyRows(1), { campaign_id: campaign })
    await its.begin(id)
    return async () => (await its.get(id)).state
  }
  const states: Awaited<ReturnType<typeof begun>>[] = []
  for (let file = 0; file < 3; file++) states.push(await begun(api, campaign_id))
  const stranger = { ...api, ...(await api.createStranger()) }
  const { body } = await api.call('POST', '/api/v2/campaigns', {
    body: { name: 'Theirs' },
    key: stranger.key,
  })
  states.push(await begun(stranger, body.id))
  const one = new ImportRunner(api.ctx, { atOnceMax: 1 })
  const finished: number[] = []
  for (const _ of states) {
    await one.look()
    await one.idle()
    const now = await Promise.all(states.map((state) => state()))
    finished.push(now.findIndex((state, at) => state === 'finished' && !finished.includes(at)))
  }
  expect(finished).toEqual([0, 3, 1, 2])
})
