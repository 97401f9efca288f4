import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'

const database = commandDatabase()
afterEach(async () => {
  await database().peek.deleteFrom('memberships').execute()
  await database().peek.deleteFrom('users').execute()
})

async function addUser(email: string) {
  const { peek } = database()
  const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
  const now = { timestamp_created: new Date(), timestamp_updated: new Date() }
  const user = { id, name: 'Ann', email, is_operator: true, two_factor_enabled: true, ...now }
  await peek.insertInto('users').values(user).execute()
  return id
}

async function addOwner(email: string) {
  const user_id = await addUser(email)
  const [{ id: workspace_id }] = (await json('workspaces', 'list')).items
  const now = { timestamp_created: new Date(), timestamp_updated: new Date() }
  await database()
    .peek.insertInto('memberships')
    .values({ workspace_id, user_id, role: 'owner', ...now })
    .execute()
  return user_id
}

test('the link of the first user is printed until there is one', async () => {
  const { url } = await json('users', 'set-up-link')
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:3000\/set-up#[\w-]{32}$/)
  expect((await json('users', 'set-up-link')).url).toBe(url)
  await addUser('ann@example.com')
  const { code, stderr } = await run('users', 'set-up-link')
  expect([code, stderr]).toEqual([1, expect.stringContaining('users invite')])
})

test('an operator invites anybody, as anything', async () => {
  const invitation = await json('users', 'invite', '--email', 'Bob@example.com', '--role', 'owner')
  expect(invitation).toMatchObject({ email: 'bob@example.com', role: 'owner', invited_by: null })
  expect(invitation.url).toMatch(/\/invitation#[\w-]{43}$/)
  expect(invitation).not.toHaveProperty('token_hash')
  const wrong = await run('users', 'invite', '--email', 'nobody')
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('ann@example.com')])
})

test('a second factor stays where the audit log does not take that it was turned off', async () => {
  await addOwner('ann@example.com')
  const { peek } = database()
  await sql`alter table audit_log add constraint no_room check (false) not valid`.execute(peek)
  const { code } = await run('users', 'disable-second-factor', 'ann@example.com')
  await sql`alter table audit_log drop constraint no_room`.execute(peek)
  expect(code).toBe(1)
  expect((await json('users', 'list')).items).toMatchObject([{ second_factor: true }])
})

test('who forgot the password gets a link, who lost the second factor does without, and both are in the audit log', async () => {
  const user_id = await addOwner('ann@example.com')
  expect((await json('users', 'reset', 'Ann@example.com')).url).toMatch(/\/reset#[\w-]{43}$/)
  expect((await json('users', 'list')).items).toMatchObject([
    { email: 'ann@example.com', operator: true, second_factor: true },
  ])
  await json('users', 'disable-second-factor', 'ann@example.com')
  expect((await json('users', 'list')).items).toMatchObject([{ second_factor: false }])
  const { items } = await json('audit', 'list', '--action', 'user.')
  expect(items).toMatchObject([
    { action: 'user.turned_second_factor_off', actor_type: 'operator', subject_id: user_id },
    { action: 'user.reset_link_created', actor_type: 'operator', subject_id: user_id },
  ])
  const { code, stderr } = await run('users', 'reset', 'nobody@example.com')
  expect([code, stderr]).toEqual([1, expect.stringContaining('users list')])
})

test('a link that sets a password goes on where the audit log does not take that another one was made', async () => {
  await addOwner('ann@example.com')
  const { peek } = database()
  await json('users', 'reset', 'ann@example.com')
  const links = () => peek.selectFrom('password_resets').select('token_hash').execute()
  const before = await links()
  await sql`alter table audit_log add constraint no_room check (false) not valid`.execute(peek)
  const { code } = await run('users', 'reset', 'ann@example.com')
  await sql`alter table audit_log drop constraint no_room`.execute(peek)
  expect(code).toBe(1)
  expect(before).toHaveLength(1)
  expect(await links()).toEqual(before)
})
