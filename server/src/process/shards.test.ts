import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { callOf } from '../../test/app.ts'
import {
  acceptInvitation,
  lookAtInvitation,
  openBrowser,
  password,
  resetPasswordBy,
  setUp,
  signIn,
} from '../../test/browser.ts'
import { testContext } from '../../test/context.ts'
import { type TestDatabase, testDatabase } from '../../test/database.ts'
import { fileWith, importPath } from '../../test/directory-files.ts'
import { lockLeadsTable } from '../../test/moves.ts'
import { patience } from '../../test/patience.ts'
import {
  rowsOf,
  type ShardedApi,
  type ShardedDatabases,
  shardedApi,
  shardedDatabases,
  silentLog,
} from '../../test/sharded.ts'
import { buildApi } from '../app.ts'
import { readConfig } from '../config.ts'
import { optOutEverywhere } from '../features/acquisition/index.ts'
import { operator } from '../features/audit/index.ts'
import { findOptedOut, optOut } from '../features/directory/index.ts'
import { keepListener } from '../features/kept-settings/index.ts'
import { createSecret } from '../features/keys/secret.ts'
import { findLinkUrl } from '../features/link-address/index.ts'
import { addMember } from '../features/members/index.ts'
import { createInvitation } from '../features/members/invitations.ts'
import { moveWorkspace } from '../features/moves/index.ts'
import {
  confirmHeld,
  findSendingHold,
  holdAll,
  holdSending,
  listHeld,
} from '../features/sending/index.ts'
import { tokenBoxOf, webLinks } from '../features/tracking/index.ts'
import {
  chooseShard,
  createWorkspace,
  listAllWorkspaces,
  listShards,
  locateDefaultWorkspace,
  setWorkspace,
} from '../features/workspaces/index.ts'
import { enterWorkspace } from '../kernel/context.ts'
import { createSecretBox } from '../kernel/crypto.ts'
import { insertRegistered, updateRegistered } from '../kernel/shards/queries.ts'
import { openServer } from './open.ts'
import { prepareShards } from './register-shards.ts'
import { startServices } from './services.ts'

// The parts that take a test's own context need its clock and its log nowhere here.
type Api = Parameters<typeof setUp>[0]

let databases: ShardedDatabases
let sharded: ShardedApi
let north: { id: string; key: string }
let home: { id: string; key: string }
let owner: Awaited<ReturnType<typeof setUp>>

beforeAll(async () => {
  databases = await shardedDatabases()
  sharded = await shardedApi(databases)
  north = await sharded.createOn('b', 'north')
  home = await sharded.createOn('first', 'home')
  owner = await setUp(sharded.api as unknown as Api)
  const { body } = await owner.call('GET', '/app/session')
  for (const { id: workspaceId } of [north, home]) {
    const member = { workspaceId, userId: body.user.id, role: 'owner' } as const
    const ctx = await sharded.shards.of(workspaceId)
    await addMember(ctx, member, operator)
  }
})
afterAll(async () => {
  await sharded[Symbol.asyncDispose]()
  await databases[Symbol.asyncDispose]()
})

const call: Api['call'] = (...request) => sharded.api.call(...request)

/** Attempts to connect that began while it was away fail first, and with them who comes meanwhile. */
async function bringBack() {
  await allowConnections(true)
  databases.bringBack()
  const { db } = sharded.shards.byName('b').ctx
  await vi.waitFor(() => db.selectFrom('workspaces').select('id').limit(1).execute(), patience)
}
/** The machine of b is there, and its server lets nobody in. */
async function letNobodyIn() {
  await allowConnections(false)
  // What was connected is cut.
  databases.bringBack()
}
async function allowConnections(isAllowed: boolean) {
  const name = new URL(databases.second.url).pathname.slice(1)
  await databases.first.pool.query(`alter database "${name}" allow_connections ${isAllowed}`)
}
const keys = (key: string) => call('GET', '/oauth/service-accounts', { key })
const unknownKey = createSecret
const links = () => webLinks(tokenBoxOf(sharded.api.ctx), '')
const mailTo = (workspaceId: string) => ({
  ...{ workspaceId, leadId: workspaceId, stepId: workspaceId },
})

test('what is done with a key of a workspace lies on its shard, and nothing of it elsewhere', async () => {
  const made = await call('POST', '/api/v2/campaigns', { key: north.key, body: { name: 'n' } })
  expect(made.status, JSON.stringify(made.body)).toBeLessThan(300)
  expect(await rowsOf(databases.second, north.id)).toMatchObject({ campaigns: 1, key_hashes: 1 })
  expect(await rowsOf(databases.first, north.id)).toEqual({})
  expect((await call('GET', `/api/v2/campaigns/${made.body.id}`, { key: home.key })).status).toBe(
    404,
  )
  expect((await keys(home.key)).status).toBe(200)
  expect(await rowsOf(databases.second, home.id)).toEqual({})
})

test('one person works in workspaces of several shards, and invites others to each', async () => {
  const { workspaces } = (await owner.call('GET', '/app/session')).body
  expect(workspaces.map(({ name }: { name: string }) => name)).toEqual(['default', 'home', 'north'])
  const headers = { 'x-workspace-id': north.id }
  const body = { email: 'bob@example.com', role: 'member' }
  const invited = await owner.call('POST', '/app/invitations', { headers, body })
  expect(invited.status, JSON.stringify(invited.body)).toBe(201)
  const bob = openBrowser(sharded.api as unknown as Api)
  expect((await lookAtInvitation(bob, invited.body.url)).body).toMatchObject({
    workspace_name: 'north',
  })
  const accepted = await acceptInvitation(bob, invited.body.url, { name: 'Bob', password })
  expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
  const members = await bob.call('GET', '/app/members', { headers })
  expect(members.body.items).toMatchObject([{ email: 'ann@example.com' }, { name: 'Bob' }])
  const audit = await owner.call('GET', `/app/audit/export.csv?workspace=${north.id}`)
  expect(audit.body).toContain(',user,Bob,')
  expect((await databases.second.peek.selectFrom('users').select('id').execute()).length).toBe(0)
  expect(await rowsOf(databases.second, north.id)).toMatchObject({ memberships: 2 })
  expect(await rowsOf(databases.first, north.id)).toEqual({})
})

test('of two who accept one invitation at the same instant one joins, and the other is told to sign in', async () => {
  const headers = { 'x-workspace-id': north.id }
  const body = { email: 'eve@example.com', role: 'member' }
  const invited = await owner.call('POST', '/app/invitations', { headers, body })
  const { pool } = databases.first
  const holding = await pool.connect()
  await holding.query('begin')
  await holding.query('lock table users in share mode')
  const accepting = ['Eve', 'Eva'].map((name) =>
    acceptInvitation(openBrowser(sharded.api as unknown as Api), invited.body.url, {
      name,
      password,
    }),
  )
  // Both have seen that there is no account, and are about to make it.
  await databases.first.untilWaiting(2, 'users')
  await holding.query('commit')
  holding.release()
  const answers = await Promise.all(accepting)
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
  expect(answers.find(({ status }) => status === 401)?.body).toMatchObject({
    code: 'not_signed_in',
    message: 'The address has an account: sign in with it.',
  })
  const members = await owner.call('GET', '/app/members', { headers })
  const joined = members.body.items.filter(({ email }: { email: string }) => email === body.email)
  expect(joined).toHaveLength(1)
})

test('whoever is taken out of a workspace of another shard leaves no link behind', async () => {
  const headers = { 'x-workspace-id': north.id }
  const mallory = openBrowser(sharded.api as unknown as Api)
  const invite = async (from: typeof owner, email: string) => {
    const body = { email, role: 'admin' }
    const invited = await from.call('POST', '/app/invitations', { headers, body })
    return String(invited.body.url)
  }
  const accept = await invite(owner, 'mallory@example.com')
  await acceptInvitation(mallory, accept, { name: 'Mallory', password })
  const { items } = (await mallory.call('GET', '/app/members', { headers })).body
  const idOf = (name: string) => items.find((each: { name: string }) => each.name === name)?.id
  const path = `/app/members/${idOf('Bob')}/reset-link`
  const { url } = (await mallory.call('POST', path, { headers })).body
  const back = await invite(mallory, 'mallory2@example.com')
  const removed = await owner.call('DELETE', `/app/members/${idOf('Mallory')}`, { headers })
  expect(removed.status).toBe(200)
  const anybody = openBrowser(sharded.api as unknown as Api)
  const address = '10.8.0.1'
  expect((await lookAtInvitation(anybody, back, address)).status).toBe(404)
  expect((await resetPasswordBy(anybody, url, password, address)).status).toBe(404)
})

test('a password whose reset the audit log of the first shard does not take stays, and so does the link', async () => {
  const headers = { 'x-workspace-id': home.id }
  const body = { email: 'max@example.com', role: 'member' }
  const invited = await owner.call('POST', '/app/invitations', { headers, body })
  const max = openBrowser(sharded.api as unknown as Api)
  await acceptInvitation(max, invited.body.url, { name: 'Max', password })
  const { id } = (await max.call('GET', '/app/session')).body.user
  const { url } = (await owner.call('POST', `/app/members/${id}/reset-link`, { headers })).body
  const reset = () => resetPasswordBy(max, url, `${password} again`, '10.8.0.3')
  await databases.first.pool.query(`
    create function no_room() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger no_room before insert on audit_log execute function no_room()`)
  try {
    expect(await reset()).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  } finally {
    await databases.first.pool.query('drop function no_room cascade')
  }
  expect((await reset()).status).toBe(200)
  const audit = await owner.call('GET', `/app/audit/export.csv?workspace=${home.id}`)
  expect(audit.body.split('user.reset_password')).toHaveLength(2)
})

test('an open page hears of changes on the shard of its workspace, from another process', async () => {
  const config = readConfig({ ...databases.settings, PORT: '0' })
  await using opened = await openServer(config, { log: silentLog })
  await using services = await startServices('api', opened)
  const headers = {
    cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'sec-fetch-site': 'same-origin',
  }
  const leaving = new AbortController()
  const { signal } = leaving
  // A busy database may answer late, and then a page asks again.
  const page = await vi.waitFor(async () => {
    const url = `${services.address}/app/live?workspace=${north.id}`
    const answer = await fetch(url, { headers, signal })
    expect(answer.status).toBe(200)
    return answer
  }, patience)
  let heard = ''
  const reading = (async () => {
    for await (const chunk of page.body ?? []) heard += Buffer.from(chunk).toString()
  })().catch(() => undefined)
  await vi.waitFor(async () => {
    await call('POST', '/api/v2/campaigns', { key: north.key, body: { name: 'heard' } })
    expect(heard).toContain('"campaigns"')
  }, patience)
  leaving.abort()
  await reading
})

test('whoever sets up owns the default workspace also where that was moved before', async () => {
  await using others = await shardedDatabases()
  await using moved = await shardedApi(others)
  const { shards } = moved
  const { found } = await locateDefaultWorkspace(moved.api.ctx)
  await moveWorkspace(shards.first.ctx, shards.byName('b').ctx, found.id, {
    ...{ sourceName: 'first', targetName: 'b', restMs: 0 },
  })
  const browser = await setUp(moved.api as unknown as Api, { workspace: 'Acme' })
  const { workspaces } = (await browser.call('GET', '/app/session')).body
  expect(workspaces).toMatchObject([{ id: found.id, name: 'Acme', role: 'owner' }])
  expect(await rowsOf(others.second, found.id)).toMatchObject({ memberships: 1 })
  expect(await rowsOf(others.first, found.id)).not.toHaveProperty('memberships')
})

test('the default workspace is found on a shard that takes its time', async () => {
  const { ctx } = sharded.api
  // Nobody is waited for, and nobody answers at once.
  const sleeping = vi.spyOn(ctx, 'sleep').mockImplementation(() => setImmediate())
  try {
    const { found } = await locateDefaultWorkspace(ctx)
    expect(found.name).toBe('default')
  } finally {
    sleeping.mockRestore()
  }
})

test('a link in a mail unsubscribes on the shard of its workspace', async () => {
  const url = links().unsubscribe(mailTo(north.id), 'carl@example.com')
  expect((await call('POST', url, { key: null })).status).toBe(200)
  expect(await rowsOf(databases.second, north.id)).toMatchObject({ suppressions: 1 })
  expect(await rowsOf(databases.first, north.id)).toEqual({})
})

test('an operator sees and makes workspaces on all of them, and new ones go where there is room', async () => {
  const { ctx } = sharded.api
  const listed = await listAllWorkspaces(ctx)
  expect(listed.map(({ name, shard }) => [name, shard]).toSorted()).toEqual([
    ['default', 'first'],
    ['home', 'first'],
    ['north', 'b'],
  ])
  expect((await chooseShard(ctx)).shard).toBe('b')
  await updateRegistered(ctx.db, 'b', { workspaces_max: 1 })
  expect((await chooseShard(ctx)).shard).toBe('first')
  await expect(chooseShard(ctx, 'b')).rejects.toThrow('The shard b takes no more workspaces')
  await updateRegistered(ctx.db, 'first', { workspaces_max: 2 })
  await expect(chooseShard(ctx)).rejects.toThrow(
    'No shard that answers has room for another workspace: raise a limit with "npx outrider shards set NAME --workspaces-max',
  )
  await expect(chooseShard(ctx, 'c')).rejects.toThrow('There is no shard c: there are first, b.')
  for (const name of ['first', 'b']) await updateRegistered(ctx.db, name, { workspaces_max: null })
  const made = await owner.call('POST', '/app/workspaces', { body: { name: 'new' } })
  expect(made.status).toBe(201)
  expect((await sharded.shards.of(made.body.id)).shard).toBe('b')
  const again = await owner.call('POST', '/app/workspaces', { body: { name: 'home' } })
  expect(again.status).toBe(400)
  const plan = { plan_rate: 77 }
  const set = await owner.call('PATCH', `/app/workspaces/${north.id}/plan`, { body: plan })
  expect(set.body).toMatchObject({ name: 'north', plan_rate: 77 })
})

test('what concerns the whole installation reaches every shard', async () => {
  const { ctx } = sharded.api
  const both = [databases.first, databases.second]
  const held = () =>
    Promise.all(
      both.map(async ({ peek }) => {
        const [row] = await peek.selectFrom('instance').select('sending_held_reason').execute()
        return row?.sending_held_reason
      }),
    )
  await holdAll(ctx)
  expect(await held()).toEqual(['operator', 'operator'])
  expect(await confirmHeld(await listHeld(ctx))).toEqual({ uncertain: 0 })
  expect(await held()).toEqual([null, null])
  await expect(confirmHeld(await listHeld(ctx))).rejects.toThrow('Sending is not held')

  await optOutEverywhere(ctx, 'gone@example.com')
  const optouts = await Promise.all(
    both.map(({ peek }) => peek.selectFrom('directory_optouts').selectAll().execute()),
  )
  expect(optouts.map((rows) => rows.length)).toEqual([1, 1])

  await keepListener(ctx, 'http://127.0.0.1:1234')
  expect(findLinkUrl(sharded.shards.byName('b').ctx)).toBe('http://127.0.0.1:1234')
})

async function addLeads(key: string, emails: string[]) {
  const post = async (path: string, body: object) =>
    (await call('POST', `/api/v2/${path}`, { key, body })).body
  const { id: campaign_id } = await post('campaigns', { name: 'written to' })
  await post('lead/add', { campaign_id, leads: emails.map((email) => ({ email })) })
}

async function stopReasons({ peek }: TestDatabase, workspaceId: string, emails: string[]) {
  const rows = await peek
    .selectFrom('leads')
    .select(['email_folded', 'stop_reason'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  const reasons = new Map(rows.map((row) => [row.email_folded, row.stop_reason]))
  return emails.map((email) => reasons.get(email))
}

test.each(['first', 'b'])(
  'who asked to be removed since the backup of %s is refused there, and not written to, before its sending goes on',
  async (shard) => {
    const { ctx } = sharded.shards.byName(shard)
    const other = sharded.shards.byName(shard === 'b' ? 'first' : 'b').ctx
    const { id, key } = shard === 'b' ? north : home
    const address = `since@${shard}.example`
    const emails = [address, `anybody@${shard}.example`, `colleague@since-${shard}.example`]
    await addLeads(key, emails)
    // The shard is put back to before.
    await optOut(other, address)
    await optOut(other, `since-${shard}.example`)
    expect(await findOptedOut(ctx.db, [address])).toEqual(new Set())
    await holdSending(ctx)
    await confirmHeld(await listHeld(sharded.api.ctx))
    expect(await findOptedOut(ctx.db, [address])).toEqual(new Set([address]))
    const database = shard === 'b' ? databases.second : databases.first
    const reasons = await stopReasons(database, id, emails)
    expect(reasons).toEqual(['unsubscribed', null, 'unsubscribed'])
  },
)

test('who asked to be removed while a workspace was on no shard is not written to where it arrived', async () => {
  const { id, key } = await sharded.createOn('first', 'wandering')
  const emails = ['during@move.example', 'anybody@move.example']
  await addLeads(key, emails)
  const { shards } = sharded
  const move = () =>
    moveWorkspace(shards.first.ctx, shards.byName('b').ctx, id, {
      ...{ sourceName: 'first', targetName: 'b', restMs: 0 },
    })
  await move()
  // As if the move was killed before it was through, and the workspace was not there yet.
  await optOut(shards.first.ctx, 'during@move.example')
  expect(await move()).toMatchObject({ was_there: true })
  expect(await stopReasons(databases.second, id, emails)).toEqual(['unsubscribed', null])
})

test('who asked to be removed before a workspace came back is not written to, whatever has a table there', async () => {
  const { id, key } = await sharded.createOn('b', 'returning')
  const [first, b] = [sharded.shards.first.ctx, sharded.shards.byName('b').ctx]
  await moveWorkspace(b, first, id, { sourceName: 'b', targetName: 'first', restMs: 0 })
  const emails = ['away@return.example', 'anybody@return.example']
  await addLeads(key, emails)
  await optOut(first, 'away@return.example')
  let minutes = 0
  const target = { ...b, monotonicMs: () => minutes++ * 60_000 }
  const back = { sourceName: 'first', targetName: 'b', restMs: 0 }
  {
    await using _dump = await lockLeadsTable(databases.second, 'access share')
    await expect(moveWorkspace(first, target, id, back)).rejects.toThrow('leads')
  }
  expect(await stopReasons(databases.second, id, emails)).toEqual(['unsubscribed', null])
  expect(await moveWorkspace(first, target, id, back)).toMatchObject({ was_there: true })
})

test('sending goes on nowhere while a shard that may know of opt-outs is away', async () => {
  const { ctx } = sharded.api
  await holdSending(ctx)
  const held = await listHeld(ctx)
  databases.takeAway()
  try {
    await expect(confirmHeld(held)).rejects.toThrow('of the shard b is not reachable')
    // It may be the one that is held.
    await expect(listHeld(ctx)).rejects.toThrow('of the shard b is not reachable')
    expect(await findSendingHold(ctx.db)).not.toBeNull()
  } finally {
    await bringBack()
  }
  await vi.waitFor(() => confirmHeld(held), patience)
})

test('of two shards that are held neither sends while the other one cannot go on yet', async () => {
  const { ctx } = sharded.api
  await holdAll(ctx)
  await databases.second.pool.query(
    `insert into sends (workspace_id, lead_id, step_id, id, campaign_id, mailbox_id, variant_id,
       message_id, starts_thread, is_new, claim_token, step, variant, state, timestamp_claimed,
       campaign_day, mailbox_day)
     values ($1, $1, $1, $1, $1, $1, $1, '<of@b>', true, true, 1, 1, 1, 'claimed', $2, $3, $3)`,
    [north.id, ctx.now(), '2026-11-20'],
  )
  await expect(confirmHeld(await listHeld(ctx))).rejects.toThrow(
    '1 mail that was under way is not settled yet',
  )
  expect(await listHeld(ctx)).toHaveLength(2)
  await databases.second.pool.query('delete from sends where workspace_id = $1', [north.id])
  await confirmHeld(await listHeld(ctx))
  expect(await listHeld(ctx)).toEqual([])
})

/** On both, and of those whom the workspace of the first has revealed by an address that no file has. */
async function importRevealed(name: string, email: string) {
  const profile = `linkedin.com/in/${name.toLowerCase()}`
  const file = await fileWith(
    `first_name,last_name,linkedin_url,domain\n${name},Lovelace,${profile},a.example\nEve,L,,a.example\n`,
  )
  // One after the other: they share the file that reports what was rejected.
  const importAgain = async () => [
    await importPath(sharded.shards.byName('first').ctx, file),
    await importPath(sharded.shards.byName('b').ctx, file),
  ]
  await importAgain()
  // As if a provider had found the address.
  const { id } = await databases.first.peek
    .selectFrom('directory_contacts')
    .select('id')
    .where('linkedin_url', '=', profile)
    .executeTakeFirstOrThrow()
  const contact = {
    ...{ first_name: name, last_name: 'Lovelace', linkedin_url: profile, company: null },
    ...{ title: null, seniority: null, department: null, city: null, country: null },
  }
  const revealed = {
    ...{ workspace_id: home.id, contact_id: id, charge_id: id, contact: JSON.stringify(contact) },
    ...{ email, email_folded: email, email_status: 'verified', source: 'provider' },
    timestamp_created: new Date(),
  }
  await databases.first.peek.insertInto('acquired_contacts').values(revealed).execute()
  return importAgain
}

const contactsOfBoth = () =>
  Promise.all(
    [databases.first, databases.second].map(async ({ peek }) => {
      const rows = await peek.selectFrom('directory_contacts').select('key').execute()
      return rows.map(({ key }) => key)
    }),
  )
const eveAlone = [['n:eve l@d:a.example'], ['n:eve l@d:a.example']]

test('whom a workspace of one shard has revealed is removed from the directory of every other one', async () => {
  const importAgain = await importRevealed('Ada', 'ada@private.example')
  expect(await optOutEverywhere(sharded.api.ctx, 'ada@private.example')).toMatchObject({
    contacts_removed: 1,
  })
  expect(await contactsOfBoth()).toEqual(eveAlone)
  for (const imported of await importAgain()) {
    expect(imported).toMatchObject({ contacts_created: 0, opted_out: 1 })
  }
})

test('whom the directory of one shard knows to be of a domain is written to on no other one', async () => {
  const emails = ['c@elsewhere.example', 'anybody@elsewhere.example']
  await addLeads(north.key, emails)
  const [first, b] = [sharded.shards.byName('first').ctx, sharded.shards.byName('b').ctx]
  await importPath(first, await fileWith(`email,domain\n${emails[0]},only-first.example\n`))
  // This one knows the address, and not the company.
  await importPath(b, await fileWith(`email\n${emails[0]}\n`))
  expect(await optOutEverywhere(sharded.api.ctx, 'only-first.example')).toMatchObject({
    ...{ contacts_removed: 1, leads_stopped: 1 },
  })
  expect(await contactsOfBoth()).toEqual(eveAlone)
  expect(await stopReasons(databases.second, north.id, emails)).toEqual(['unsubscribed', null])
})

test('an opt-out that one shard did not take is whole once it is repeated', async () => {
  const importAgain = await importRevealed('Mary', 'mary@private.example')
  const { pool } = databases.second
  await pool.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse before insert on directory_optouts execute function refuse()`)
  await expect(optOutEverywhere(sharded.api.ctx, 'mary@private.example')).rejects.toThrow('refused')
  await pool.query('drop function refuse cascade')
  await optOutEverywhere(sharded.api.ctx, 'mary@private.example')
  expect(await contactsOfBoth()).toEqual(eveAlone)
  for (const imported of await importAgain()) {
    expect(imported).toMatchObject({ contacts_created: 0, opted_out: 1 })
  }
})

test('who asked to be removed before a shard was added, or while it was away, is refused there, too', async () => {
  await using ctx = await testContext()
  await using second = await testDatabase()
  const DATABASE_SHARDS = `b=${second.url}`
  const config = readConfig({
    ...databases.settings,
    ...{ DATABASE_URL: ctx.database.url, DATABASE_SHARDS },
  })
  await optOut(ctx, 'gone@before.example')
  // More than are copied at once, and what was asked for stays as old as it is.
  await ctx.database.pool.query(`
    insert into directory_optouts (kind, hash, timestamp_created)
    select kind, sha256(number::text::bytea), '2020-02-02'
    from generate_series(1, 6000) as number cross join unnest('{contact,address}'::text[]) as kind`)
  const prepare = () => prepareShards(config, ctx.database.db, silentLog)
  const optoutsOf = ({ peek }: TestDatabase) =>
    peek.selectFrom('directory_optouts').selectAll().orderBy('kind').orderBy('hash').execute()
  const asked = ['gone@before.example', 'new@later.example', 'other@before.example']

  expect(await prepare()).toMatchObject([{ name: 'b', isNew: true }])
  expect(await findOptedOut(second.db, asked)).toEqual(new Set(asked.slice(0, 1)))
  expect(await optoutsOf(second)).toEqual(await optoutsOf(ctx.database))

  await optOut(ctx, 'later.example')
  expect(await prepare()).toMatchObject([{ name: 'b', isNew: false }])
  expect(await findOptedOut(second.db, asked)).toEqual(new Set(asked.slice(0, 2)))
})

test('while a shard is away the others go on, and its own are told to try again, never that they are unknown', async () => {
  const headers = { 'x-workspace-id': north.id }
  const asked = {
    key: () => keys(north.key),
    'unknown key': () => keys(unknownKey()),
    session: () => owner.call('GET', '/app/members', { headers }),
    'unknown invitation': () =>
      call('POST', '/app/invitations/received', { key: null, body: { token: 'none' } }),
    unsubscribe: () => call('POST', links().unsubscribe(mailTo(north.id), 'd@example.com')),
  }
  const statuses = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(asked).map(async ([name, ask]) => [name, (await ask()).status] as const),
      ),
    )
  const there = { key: 200, 'unknown key': 401, session: 200 }
  expect(await statuses()).toEqual({ ...there, 'unknown invitation': 404, unsubscribe: 200 })
  databases.takeAway()
  const told = vi.spyOn(silentLog, 'error')
  try {
    const away = { key: 503, 'unknown key': 503, session: 503, 'unknown invitation': 503 }
    // The wish is kept.
    expect(await statuses()).toEqual({ ...away, unsubscribe: 200 })
    expect(told).toHaveBeenCalledWith(
      expect.objectContaining({ shard: 'b', cause: expect.stringContaining('of this shard') }),
      'request failed',
    )
    expect((await keys(home.key)).status).toBe(200)
    const session = await owner.call('GET', '/app/session')
    expect(session.body.workspaces.map(({ name }: { name: string }) => name)).toEqual([
      'default',
      'home',
    ])
    const ready = await call('GET', '/ready', { key: null })
    expect(ready).toMatchObject({ status: 200, body: { shards: { first: 'ok' } } })
    expect(ready.body.shards.b).toContain('not reachable')
    expect(await listShards(sharded.api.ctx)).toMatchObject([
      { name: 'b', workspaces: null },
      { name: 'first', workspaces: 2 },
    ])
    await expect(chooseShard(sharded.api.ctx, 'b')).rejects.toThrow('The shard b does not answer')
    expect((await chooseShard(sharded.api.ctx)).shard).toBe('first')
  } finally {
    told.mockRestore()
    await bringBack()
  }
  await vi.waitFor(async () => {
    expect([(await asked.key()).status, (await asked.unsubscribe()).status]).toEqual([200, 200])
  }, patience)
  expect(await statuses()).toEqual({ ...there, 'unknown invitation': 404, unsubscribe: 200 })
})

test('while a shard refuses connections its own are told to try again, and the operator why', async () => {
  const told = vi.spyOn(silentLog, 'error')
  await letNobodyIn()
  try {
    await vi.waitFor(async () => {
      expect((await keys(north.key)).status).toBe(503)
      const why = expect.objectContaining({ shard: 'b', code: '55000' })
      expect(told).toHaveBeenCalledWith(why, 'request failed')
    }, patience)
    expect((await keys(home.key)).status).toBe(200)
  } finally {
    told.mockRestore()
    await bringBack()
  }
})

test('a workspace that has left a shard is served while that one is away, also by who remembers it there', async () => {
  const { shards } = sharded
  const { id, key } = await sharded.createOn('b', 'saved')
  const user = (await owner.call('GET', '/app/session')).body.user
  const member = { workspaceId: id, userId: user.id, role: 'owner' } as const
  await addMember(await shards.of(id), member, operator)
  const headers = { 'x-workspace-id': id }
  const ask = async () => [
    (await keys(key)).status,
    (await owner.call('GET', '/app/members', { headers })).status,
    (await call('POST', links().unsubscribe(mailTo(id), 'eve@example.com'))).status,
  ]
  expect(await ask()).toEqual([200, 200, 200])
  await moveWorkspace(shards.byName('b').ctx, shards.first.ctx, id, {
    ...{ sourceName: 'b', targetName: 'first', restMs: 0 },
  })
  await databases.first.pool.query('delete from suppressions where workspace_id = $1', [id])
  databases.takeAway()
  try {
    expect(await ask()).toEqual([200, 200, 200])
    expect(await rowsOf(databases.first, id)).toMatchObject({ suppressions: 1 })
  } finally {
    await bringBack()
  }
})

test('an invitation to a workspace that is between two shards is none that was used, and stays good where it comes to', async () => {
  const { shards } = sharded
  const { id } = await sharded.createOn('first', 'invited')
  const body = { email: 'zoe@example.com', role: 'member' } as const
  const ctx = await enterWorkspace(sharded.api.ctx, id)
  const { url } = await createInvitation(ctx, id, body, operator)
  const zoe = openBrowser(sharded.api as unknown as Api)
  const address = '10.8.0.2'
  const look = async () => (await lookAtInvitation(zoe, url, address)).body
  const place = 'update workspaces set moving_to = $1, moved_to = $1 where id = $2'
  await databases.first.pool.query(place, ['b', id])
  expect(await look()).toMatchObject({ code: 'unavailable' })
  await databases.first.pool.query(place, [null, id])
  await moveWorkspace(shards.first.ctx, shards.byName('b').ctx, id, {
    ...{ sourceName: 'first', targetName: 'b', restMs: 0 },
  })
  expect(await look()).toMatchObject({ workspace_name: 'invited' })
  // It arrives after the first look.
  const finding = vi.spyOn(shards, 'find').mockResolvedValueOnce(undefined)
  expect(await look()).toMatchObject({ workspace_name: 'invited' })
  finding.mockRestore()
  expect((await acceptInvitation(zoe, url, { name: 'Zoe', password })).status).toBe(200)
  // The shard that it has left still has it for an hour.
  expect(await look()).toMatchObject({ code: 'not_found' })
})

test('an invitation whose workspace leaves its shard while it is accepted is none that was used, and is accepted where it comes to', async () => {
  const { shards } = sharded
  const { id } = await sharded.createOn('b', 'left')
  const ctx = await enterWorkspace(sharded.api.ctx, id)
  const body = { email: 'yan@example.com', role: 'member' } as const
  const { url } = await createInvitation(ctx, id, body, operator)
  const accept = () => {
    const browser = openBrowser(sharded.api as unknown as Api)
    return acceptInvitation(browser, url, { name: 'Yan', password })
  }
  const { pool } = databases.first
  const holding = await pool.connect()
  await holding.query('begin')
  await holding.query('lock table users in share mode')
  const accepting = accept()
  await databases.first.untilWaiting(1, 'users')
  const place = 'update workspaces set moving_to = $1, moved_to = $1 where id = $2'
  await databases.second.pool.query(place, ['first', id])
  await holding.query('commit')
  holding.release()
  expect((await accepting).body).toMatchObject({ code: 'unavailable' })

  await databases.second.pool.query(place, [null, id])
  await moveWorkspace(shards.byName('b').ctx, shards.first.ctx, id, {
    ...{ sourceName: 'b', targetName: 'first', restMs: 0 },
  })
  expect((await accept()).body).toMatchObject({ code: 'not_signed_in' })
  const yan = await signIn(sharded.api as unknown as Api, { email: body.email, password })
  expect((await acceptInvitation(yan, url)).status).toBe(200)
})

test.each([
  ['is away', async () => databases.takeAway()],
  ['refuses connections', letNobodyIn],
])('a shard that %s when a process starts is opened once it answers', async (_how, takeAway) => {
  await takeAway()
  let late: ShardedApi | undefined
  try {
    late = await shardedApi(databases)
    const ask = (key: string) => late?.api.call('GET', '/oauth/service-accounts', { key })
    expect((await ask(home.key))?.status).toBe(200)
    expect((await ask(north.key))?.status).toBe(503)
    expect((await ask(unknownKey()))?.status).toBe(503)
    const opened = new Promise<string>((resolve) =>
      late?.shards.onOpened(({ name }) => name === 'b' && resolve(name)),
    )
    await bringBack()
    await opened
    expect((await ask(north.key))?.status).toBe(200)
    expect((await ask(unknownKey()))?.status).toBe(401)
  } finally {
    await bringBack()
    await late?.[Symbol.asyncDispose]()
  }
})

const nobody = 'postgres://u:secret@127.0.0.1:1/x'

test('a way around the pooler of a shard that does not answer keeps nobody from starting', async () => {
  const settings = { ...databases.settings, DATABASE_DIRECT_SHARDS: `b=${nobody}` }
  await using late = await shardedApi({ ...databases, settings })
  expect([...late.shards.troubles.keys()]).toEqual(['b'])
  const path = '/oauth/service-accounts'
  expect((await late.api.call('GET', path, { key: home.key })).status).toBe(200)
})

test('a shard that is away is named by its variable, and keeps none of the others from being migrated', async () => {
  await using ctx = await testContext()
  await using third = await testDatabase()
  const { db, peek, url } = ctx.database
  const prepare = (more: Record<string, string>) =>
    prepareShards(readConfig({ ...databases.settings, DATABASE_URL: url, ...more }), db, silentLog)
  const DATABASE_SHARDS = `b=${nobody} c=${third.url}`
  const sentences = /DATABASE_SHARDS \(b\)\. Up to date: first, c\. Run the command again for b\.$/
  await expect(prepare({ DATABASE_SHARDS })).rejects.toThrow(sentences)
  const registered = await peek.selectFrom('shards').select('name').orderBy('name').execute()
  expect(registered.map(({ name }) => name)).toEqual(['c', 'first'])
  await expect(
    prepare({
      DATABASE_SHARDS: `c=${third.url}`,
      DATABASE_DIRECT_SHARDS: `c=${nobody}`,
    }),
  ).rejects.toThrow('and DATABASE_DIRECT_SHARDS (c).')
  // It may be the first one that fails while a shard is prepared.
  await ctx.database.pool.query(`
    create function fill() returns trigger language plpgsql as $$
    begin raise 'no room' using errcode = 'disk_full'; end $$;
    create trigger fill before insert on shards for each row when (new.name = 'c')
    execute function fill()`)
  await expect(prepare({ DATABASE_SHARDS })).rejects.toThrow(
    /DATABASE_SHARDS \(b\)\. The shard c: no room$/,
  )
})

test('a shard is given the key that seals, whichever is first where it is registered, and keeps it', async () => {
  await using ctx = await testContext()
  await using second = await testDatabase()
  await using third = await testDatabase()
  const { pool, url, db } = ctx.database
  const [sealing, next] = [1, 2].map(() => randomBytes(32).toString('base64'))
  const prepare = (OUTRIDER_SECRET_KEY: string, ...shards: string[]) => {
    const own = { DATABASE_URL: url, DATABASE_SHARDS: shards.join(' '), OUTRIDER_SECRET_KEY }
    return prepareShards(readConfig({ ...databases.settings, ...own }), db, silentLog)
  }
  const noted = async (of: Pick<TestDatabase, 'pool'>) =>
    (await of.pool.query('select secret_key_id from instance')).rows
  const [b, c] = [`b=${second.url}`, `c=${third.url}`]
  await prepare(String(sealing), b)
  const before = await noted({ pool })
  // As a shell has it while the keys are changed, and the service does not yet seal with the new one.
  await prepare(`${next},${sealing}`, b, c)
  for (const database of [{ pool }, second, third]) expect(await noted(database)).toEqual(before)
  await expect(prepare(String(next), b, c)).rejects.toThrow(
    /sealed with key .*, but the key here is .*: set OUTRIDER_SECRET_KEY/,
  )
  await pool.query(
    `update instance set secret_key_id = '${createSecretBox([Buffer.from(String(next), 'base64')]).keyId}'`,
  )
  await expect(prepare(String(next), b, c)).rejects.toThrow(
    /^The shard b: The database holds secrets sealed with key/,
  )
})

test('/ready names the command that migrates a further shard', async () => {
  const { pool } = databases.second
  const { rows } = await pool.query('delete from migrations where name like $1 returning *', [
    '0110%',
  ])
  try {
    // It may just come back from having been away.
    const shards = async () => (await call('GET', '/ready', { key: null })).body.shards
    await expect.poll(shards, patience).toMatchObject({
      b: expect.stringContaining('run "npx outrider migrate --shards"'),
    })
  } finally {
    await pool.query('insert into migrations values ($1, $2)', Object.values(rows[0]))
  }
})

test('a shard that is only busy is not called away', async () => {
  const asked = sharded.shards.askAll(async ({ name }) => {
    if (name === 'b') throw Object.assign(new Error('lock timeout'), { code: '55P03' })
  })
  await expect(asked).rejects.toThrow(
    'The shard b cannot do this now. The database was too busy with other changes',
  )
})

test('workspaces of several shards have handles that differ', async () => {
  const ids = [await sharded.createOn('b', 'Süd'), await sharded.createOn('first', 'Sud')]
  const listed = await listAllWorkspaces(sharded.api.ctx)
  const handles = ids.map(({ id }) => listed.find((each) => each.id === id)?.handle)
  expect(handles).toEqual(['sud', `sud-${ids[1]?.id.slice(-12)}`])
})

test('while a shard is away no workspace is given a name that one of its own may have', async () => {
  const { first } = sharded.shards
  const { id } = await createWorkspace(first.ctx, 'West')
  await sharded.createOn('b', 'East')
  const rename = async (name: string) =>
    setWorkspace(await enterWorkspace(sharded.api.ctx, id), id, { name })
  databases.takeAway()
  try {
    const away = { code: 'unavailable', message: expect.stringContaining('the shard b') }
    await expect(createWorkspace(first.ctx, 'East')).rejects.toMatchObject(away)
    await expect(rename('East')).rejects.toMatchObject(away)
    // Its own name is no question.
    expect(await rename('West')).toMatchObject({ id, name: 'West' })
  } finally {
    await bringBack()
  }
  await vi.waitFor(() => expect(rename('East')).rejects.toThrow('exists already'), patience)
})

test('a process that does not know a shard that was registered since says so, and calls no key invalid', async () => {
  const { settings, first } = databases
  // As it was before there were several.
  const { rows: registered } = await first.pool.query('delete from shards returning *')
  const opened = await openServer(readConfig({ ...settings, DATABASE_SHARDS: '' }), {
    log: silentLog,
  })
  let nowMs = 0
  opened.ctx.monotonicMs = () => nowMs
  const app = await buildApi(opened.ctx)
  const ask = (key: string) => callOf(app)('GET', '/oauth/service-accounts', { key })
  try {
    expect((await ask(unknownKey())).status).toBe(401)
    for (const { name, instance_id, timestamp_created } of registered) {
      await insertRegistered(first.db, { name, instance_id, timestamp_created })
    }
    nowMs = 1000
    const answer = await ask(north.key)
    expect(answer).toMatchObject({
      status: 503,
      body: { message: expect.stringContaining('restarts it with b in DATABASE_SHARDS') },
    })
    expect((await ask(home.key)).status).toBe(200)
  } finally {
    await app.close()
    await opened[Symbol.asyncDispose]()
  }
})

describe('a process does not start on databases that are not those that are registered', () => {
  const start = async (settings: Record<string, string>) => {
    const config = readConfig({ ...databases.settings, ...settings })
    const opened = await openServer(config, { log: silentLog })
    await opened[Symbol.asyncDispose]()
  }
  const prepare = (DATABASE_SHARDS: string) =>
    prepareShards(
      readConfig({ ...databases.settings, DATABASE_SHARDS }),
      databases.first.db,
      silentLog,
    )

  test('one is missing, one is unknown, one is another, and the first is a further one', async () => {
    const { first, second } = databases
    await using other = await testDatabase()
    const b = String(databases.settings.DATABASE_SHARDS)
    await expect(start({ DATABASE_SHARDS: '' })).rejects.toThrow('add b=postgres://… to it')
    await expect(start({ DATABASE_SHARDS: `${b} c=${other.url}` })).rejects.toThrow(
      'names c, which is not registered: run "npx outrider migrate --shards"',
    )
    await expect(start({ DATABASE_SHARDS: `b=${other.url}` })).rejects.toThrow(
      'it is none of this installation',
    )
    await expect(start({ DATABASE_SHARDS: `b=${first.url}` })).rejects.toThrow(
      'it is the shard first',
    )
    await expect(start({ DATABASE_URL: second.url })).rejects.toThrow(
      'DATABASE_URL leads to the shard b of an installation',
    )
    const here = await second.peek.selectFrom('workspaces').select('name').execute()
    expect(here.map(({ name }) => name)).not.toContain('default')
    await expect(prepare(`${b} c=${second.url}`)).rejects.toThrow('it is the shard b')
    await expect(prepare('c=postgres://127.0.0.1/x')).rejects.toThrow('add b=postgres://… to it')
    await other.peek
      .insertInto('workspaces')
      .values({
        id: north.id,
        name: 'x',
        handle: 'x',
        timestamp_created: new Date(),
        timestamp_updated: new Date(),
      })
      .execute()
    await expect(prepare(`${b} c=${other.url}`)).rejects.toThrow(
      'has workspaces of another installation: name an empty database',
    )
  })

  test('a shard that the first has forgotten is registered again with its workspaces, by its own name and key alone', async () => {
    const { first, second, settings } = databases
    const b = String(settings.DATABASE_SHARDS)
    const [registered] = (
      await first.pool.query(`delete from shards where name = 'b' returning instance_id`)
    ).rows
    await expect(start({})).rejects.toThrow('names b, which is not registered')
    await expect(prepare(b.replace('b=', 'c='))).rejects.toThrow('of another installation')
    const [key] = (await second.pool.query('select secret_key_id from instance')).rows
    await second.pool.query(`update instance set secret_key_id = 'other'`)
    await expect(prepare(b)).rejects.toThrow('of another installation')
    await second.pool.query('update instance set secret_key_id = $1', [key.secret_key_id])
    expect(await prepare(b)).toMatchObject([{ name: 'b', isNew: true }])
    expect(
      (await first.pool.query(`select instance_id from shards where name = 'b'`)).rows,
    ).toEqual([registered])
    await start({})
  })

  test('one is older, newer, or sealed with another key', async () => {
    const { pool } = databases.second
    const { rows } = await pool.query('delete from migrations where name like $1 returning *', [
      '0110%',
    ])
    await expect(start({})).rejects.toThrow('run "npx outrider migrate --shards"')
    await pool.query('insert into migrations values ($1, $2)', Object.values(rows[0]))
    await pool.query('insert into migrations values ($1, $2)', ['9999_later.sql', new Date()])
    await expect(start({})).rejects.toThrow('The shard b cannot be used. The database is newer')
    await pool.query(`delete from migrations where name = '9999_later.sql'`)
    const [key] = (await pool.query('select secret_key_id from instance')).rows
    await pool.query(`update instance set secret_key_id = 'other'`)
    await expect(start({})).rejects.toThrow(
      'The shard b cannot be used. The database holds secrets',
    )
    await pool.query('update instance set secret_key_id = $1', [key.secret_key_id])
    await start({})
  })
})

test.each([
  ['b', 'DATABASE_SHARDS must be names with addresses'],
  ['B=postgres://u:hidden@h/x', 'a name has lower-case letters'],
  ['b=https://u:hidden@h/x', 'DATABASE_SHARDS must be names with addresses'],
  ['first=postgres://u:hidden@h/x', 'must not name first, which is the database of DATABASE_URL'],
  ['b=postgres://u:hidden@h/x b=postgres://u:hidden@h/y', 'names b twice'],
])('DATABASE_SHARDS=%s is refused, and no password is told', (DATABASE_SHARDS, sentence) => {
  const read = () => readConfig({ DATABASE_SHARDS })
  expect(read).toThrow(sentence)
  expect(read).not.toThrow('hidden')
})

test('a way around a pooler is for a shard that is named', () => {
  const b = 'b=postgres://h/x'
  expect(() =>
    readConfig({ DATABASE_SHARDS: b, DATABASE_DIRECT_SHARDS: 'c=postgres://h/x' }),
  ).toThrow('DATABASE_DIRECT_SHARDS names c, which DATABASE_SHARDS lacks')
  const both = { DATABASE_SHARDS: `  ${b}\n c=postgresql://h/y `, DATABASE_DIRECT_SHARDS: b }
  expect(readConfig(both).databaseShards).toEqual([
    { name: 'b', url: 'postgres://h/x', directUrl: 'postgres://h/x' },
    { name: 'c', url: 'postgresql://h/y', directUrl: undefined },
  ])
})
