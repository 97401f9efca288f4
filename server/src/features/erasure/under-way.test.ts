import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { testApi } from '../../../test/app.ts'
import { asService } from '../../../test/context.ts'
import { testDelivering } from '../../../test/delivering.ts'
import { importer, manyRows } from '../../../test/imports.ts'
import { letter, testInbox } from '../../../test/inbox.ts'
import { patience } from '../../../test/patience.ts'
import { startReceiver } from '../../../test/receiver.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { operator } from '../audit/index.ts'
import { replyInThread } from '../inbox/index.ts'
import { getErasure, startErasure } from './erase.ts'
import { eraseLead, runErasures } from './index.ts'

const person = 'ada@lead.example'
const large = 4 * 1024 * 1024

test.each([200, 500])(
  'a delivery that is under way when its person is erased, and answered by %i, names nobody',
  async (status) => {
    await using stack = new AsyncDisposableStack()
    const service = stack.use(await testDelivering())
    const answer = Promise.withResolvers<void>()
    const receiver = stack.use(
      await startReceiver(async (_received, response) => {
        await answer.promise
        response.writeHead(status).end(`Thank you, ${person}.`)
      }),
    )
    const { id } = await service.createWebhook(receiver.url)
    await service.emit([{ leadEmail: person }])
    await receiver.waitFor(1)
    await eraseLead(service.ctx, person)
    answer.resolve()
    const [attempt] = await service.waitForAttempts(id, 1)
    expect(attempt).toMatchObject({ status_code: status })
    expect(await tablesWith(service.ctx.database.peek, person)).toEqual([])
  },
)

test('an event about somebody else that names who is erased is told without the letters of the address', async () => {
  await using stack = new AsyncDisposableStack()
  const service = stack.use(await testDelivering())
  const { ctx } = service
  const receiver = stack.use(
    await startReceiver(({ body }, response) => {
      response.writeHead(receiver.requests.length === 1 ? 500 : 200).end(body)
    }),
  )
  const { id } = await service.createWebhook(receiver.url)
  const said = (address: string) => `On Monday Ada <${address}> wrote:\n${address}`
  await service.emit([{ leadEmail: 'bob@lead.example', data: { text: said(person) } }])
  await service.waitForAttempts(id, 1)
  expect(await eraseLead(ctx, person)).toMatchObject({ events: 1, delivery_attempts: 1 })
  expect(await tablesWith(ctx.database.peek, person)).toEqual([])
  ctx.clock.advance(10_000)
  await service.waitForAttempts(id, 2)
  const [first, second] = receiver.requests.map(({ body }) => JSON.parse(body.toString()))
  expect(second).toEqual({ ...first, data: { text: said('[erased]') } })
  const [attempt] = await service.attemptsOf(id)
  expect(attempt).toMatchObject({
    lead_email: 'bob@lead.example',
    response_body: expect.stringContaining('"On Monday Ada <[erased]> wrote'),
  })
})

test.each([
  ['goes to who is erased', person, 'before'],
  ['names who is erased', 'bob@lead.example', 'while'],
] as const)(
  'an answer in the conversation of somebody else that %s has its result before its words are taken out',
  async (_what, from, begins) => {
    await using inbox = await testInbox()
    const { ctx, workspaceId } = inbox
    const { peek } = ctx.database
    const { leadId } = await inbox.contact([person])
    const other = await inbox.contact(['bob@lead.example'])
    inbox.startReader()
    const headers = [`In-Reply-To: ${other.messageId}`, 'Message-ID: <a1@x.example>']
    inbox.arrive(letter({ from, headers }))
    await inbox.waitForEvents('lead.replied')
    const [marked, taken] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const connectSmtp: typeof ctx.mail.connectSmtp = async (server) => {
      const connection = await ctx.mail.connectSmtp(server)
      const finish = connection.finish.bind(connection)
      connection.finish = async (...message) => {
        marked.resolve()
        await taken.promise
        return finish(...message)
      }
      return connection
    }
    await inbox.startSender({ ...ctx, mail: { ...ctx.mail, connectSmtp } })
    const answer = { thread_id: other.leadId, text: `As ${person} says.`, idempotency_key: 'a' }
    const begin = async () => {
      const answered = replyInThread(ctx, workspaceId, answer)
      await marked.promise
      return { answered }
    }
    const early = begins === 'before' ? await begin() : undefined
    const { id } = await startErasure(ctx, workspaceId, leadId, operator)
    let looks = 0
    // Of a process that ends once the first pass has begun.
    const ending = {
      get aborted() {
        return ++looks > 1
      },
    } as AbortSignal
    await runErasures(ctx, ending)
    const { answered } = early ?? (await begin())
    const takeUpAgain = () => peek.updateTable('erasures').set({ due: ctx.now() }).execute()
    await takeUpAgain()
    await runErasures(ctx)
    expect(await getErasure(ctx, workspaceId, id)).toMatchObject({ state: 'waiting' })
    const rows = peek.selectFrom('sends').select(['state', 'reply']).where('kind', '=', 'manual')
    expect(await rows.execute()).toMatchObject([
      { state: 'transmitting', reply: { to_address: from, text: answer.text } },
    ])
    taken.resolve()
    expect(await answered).toMatchObject({ state: 'sent', to_address: from })
    await takeUpAgain()
    await runErasures(ctx)
    expect(await getErasure(ctx, workspaceId, id)).toMatchObject({ state: 'finished' })
    expect(await tablesWith(peek, person)).toEqual([])
  },
)

test.each([
  ['across two parts', Buffer.from(`email,note\n${'x'.repeat(large - 13)},${person}\n`), true],
  ['in UTF-16', Buffer.from(`\ufeffemail,name\n${person.toUpperCase()},Ada\n`, 'utf16le'), false],
])(
  'a file that waits to be imported and names an erased person, %s, is gone',
  async (_how, file, isCut) => {
    await using api = await testApi()
    const imports = importer(api)
    const { id } = await imports.send(file)
    const { id: other } = await imports.send('email\nbob@lead.example\n')
    const { peek } = api.ctx.database
    if (!isCut) expect(await tablesWith(peek, person)).toContain('import_parts')
    await eraseLead(api.ctx, person)
    expect(await tablesWith(peek, person)).toEqual([])
    expect((await imports.get(id)).state).toBe('failed')
    expect((await imports.get(other)).state).toBe('ready')
    const parts = await peek.selectFrom('import_parts').select('import_id').execute()
    expect(parts).toEqual([{ import_id: other }])
  },
)

test('an import that is at the row of a person who is being erased leaves nothing of them', async () => {
  await using api = await testApi()
  const { peek } = api.ctx.database
  const post = async (path: string, body: object) => (await api.call('POST', path, { body })).body
  const before = await post('/api/v2/campaigns', { name: 'Before' })
  const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'Now' })
  await post('/api/v2/lead/add', { campaign_id: before.id, leads: [{ email: person }] })
  const imports = importer(api)
  // Of two batches: one that had written its last row could be finished before the erasure gets hold of it.
  const [heading, ...others] = manyRows(1_000).split('\n')
  const file = [heading, `${person},Ada,Example Ltd`, ...others].join('\n')
  const { id } = await imports.send(file, { campaign_id })
  await imports.begin(id)
  // Both are held at a place: the erasure before it looks at imports, the import before it commits.
  await using held = await holdBoth(api.ctx.database.url)
  const waiting = async (forWhat: string) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'
        and wait_event = ${forWhat}`.execute(peek)
    return rows[0]?.count
  }
  const erased = eraseLead(api.ctx, person)
  await expect.poll(() => waiting('advisory'), patience).toBe(1)
  await imports.runner.look()
  await expect.poll(() => waiting('advisory'), patience).toBe(2)
  await held.release('erasure')
  // For the row of the import, which is under way.
  await expect.poll(() => waiting('transactionid'), patience).toBe(1)
  const stopped = imports.runner.stop()
  await held.release('import')
  await Promise.all([erased, stopped])
  expect(await tablesWith(peek, person)).toEqual([])
  expect((await imports.get(id)).state).toBe('failed')
})

test('an import that ends while its file is looked through for who is erased stays what it is', async () => {
  await using api = await testApi()
  const { peek, url } = api.ctx.database
  const { id } = await importer(api).send(`email\n${person}\n`)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('begin')
  await client.query(`update imports set state = 'finished', preview = null where id = $1`, [id])
  const erased = eraseLead(api.ctx, person)
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and wait_event = 'transactionid'`.execute(peek)
    return rows[0]?.count
  }
  await expect.poll(waiting, patience).toBe(1)
  await client.query('commit')
  await client.end()
  await erased
  expect(await importer(api).get(id)).toMatchObject({ state: 'finished', error: null })
})

test('an open import whose file names who is erased says so to whoever goes on with it', async () => {
  await using api = await testApi()
  const imports = importer(api)
  const { id } = await imports.send(`email\n${person}\n`)
  await eraseLead(api.ctx, person)
  await expect(imports.check(id)).rejects.toThrow('A person in the file was erased.')
})

test('erasures end, however many rows there are and however many others have their turns between', async () => {
  await using api = await testApi()
  const { ctx, workspaceId } = api
  const emails = Array.from({ length: 600 }, (_, at) => ({ email: `lead${at}@lead.example` }))
  const { body: campaign } = await api.call('POST', '/api/v2/campaigns', { body: { name: 'x' } })
  const { body } = await api.call('POST', '/api/v2/lead/add', {
    body: { campaign_id: campaign.id, leads: emails },
  })
  const by = operator
  const ids: string[] = []
  for (const { id } of body.created_leads.slice(0, 6)) {
    ids.push((await startErasure(ctx, workspaceId, id, by)).id)
  }
  // Each turn is over after one step, so that no pass of theirs is short.
  let turns = 0
  const ending = new AbortController()
  const monotonicMs = () => {
    ctx.clock.advance(1_500)
    if (++turns > 1_000) ending.abort()
    return turns * 1_500
  }
  await runErasures({ ...asService(ctx), monotonicMs }, ending.signal)
  const erasures = await Promise.all(ids.map((id) => getErasure(ctx, workspaceId, id)))
  expect(erasures.map(({ state }) => state)).toEqual(ids.map(() => 'finished'))
  // What had not changed was looked at once.
  for (const { looked_at } of erasures) expect(looked_at).toBeLessThan(2 * emails.length)
})

test('however many people a workspace erases, that of another has every second turn', async () => {
  await using api = await testApi()
  const { ctx } = api
  const stranger = await api.createStranger()
  const by = operator
  const begin = async (key: string, workspaceId: string, count: number) => {
    const post = async (path: string, body: object) =>
      (await api.call('POST', path, { key, body })).body
    const { id: campaign_id } = await post('/api/v2/campaigns', { name: 'x' })
    const leads = Array.from({ length: count }, (_, at) => ({ email: `lead${at}@lead.example` }))
    const { created_leads } = await post('/api/v2/lead/add', { campaign_id, leads })
    for (const { id } of created_leads) await startErasure(ctx, workspaceId, id, by)
  }
  await begin(api.key, api.workspaceId, 5)
  await begin(stranger.key, stranger.workspaceId, 1)
  const takeTurn = async () => {
    const ending = new AbortController()
    // It is over after one step, and begins at a later instant than the one before.
    const monotonicMs = () => {
      ctx.clock.advance(1_000)
      ending.abort()
      return 0
    }
    await runErasures({ ...asService(ctx), monotonicMs }, ending.signal)
    const { workspace_id } = await ctx.database.peek
      .selectFrom('erasures')
      .select('workspace_id')
      .orderBy('timestamp_updated', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    return workspace_id
  }
  const turns: string[] = []
  for (let turn = 0; turn < 6; turn++) turns.push(await takeTurn())
  const both = [api.workspaceId, stranger.workspaceId]
  expect(turns).toEqual([...both, ...both, ...both])
})

const places = { erasure: 1, import: 2 }

/** Stops an erasure where it takes a lead's address away, and an import before it commits a row that it skipped. */
async function holdBoth(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create function hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock(7, tg_argv[0]::integer); return new; end $$;
    create trigger hold_erasure before update on leads
      for each row when (new.email is distinct from old.email) execute function hold(1);
    create trigger hold_import after insert on import_skipped
      for each row execute function hold(2);
    select pg_advisory_lock(7, 1), pg_advisory_lock(7, 2)`)
  return {
    release: (place: keyof typeof places) =>
      client.query('select pg_advisory_unlock(7, $1)', [places[place]]),
    [Symbol.asyncDispose]: () => client.end(),
  }
}
