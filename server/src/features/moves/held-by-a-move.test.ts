import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { asService, type TestContext, testContext } from '../../../test/context.ts'
import { install, ofShards } from '../../../test/moves.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { createSecretBox } from '../../kernel/crypto.ts'
import { migrate, migrationLock } from '../../kernel/db/migrate.ts'
import { countSealed, resealAll } from '../../kernel/sealed-columns/index.ts'
import { sealedColumns } from '../../sealed-columns.ts'
import { operator } from '../audit/index.ts'
import { runErasures } from '../erasure/index.ts'
import { nothing } from '../erasure/schema.ts'
import { addMember } from '../members/index.ts'
import { recordForPerson } from '../sign-in/record.ts'
import { createUser } from '../users/index.ts'
import { createWebhook } from '../webhooks/webhooks.ts'
import { createWorkspace } from '../workspaces/index.ts'
import { cancelMove, cleanUpMoves, listGone, moveWorkspace } from './index.ts'
import type { Progress } from './move.ts'

let a: TestContext
let b: TestContext
let workspaceId: string
beforeEach(async () => {
  ;[a, b] = await Promise.all([testContext(), testContext()])
  // Both draw the same ids at the same time.
  b.clock.advance(1_000)
  await Promise.all([install(a), install(b)])
  workspaceId = (await createWorkspace(asService(a), 'Acme')).id
})
afterEach(async () => {
  await Promise.all([a[Symbol.asyncDispose](), b[Symbol.asyncDispose]()])
})

const toB = (onProgress?: (progress: Progress) => void) =>
  moveWorkspace(asService(a), asService(b), workspaceId, {
    ...{ sourceName: 'a', targetName: 'b', restMs: 0 },
    ...(onProgress ? { onProgress } : {}),
  })

const hold = () => sql`update instance set sending_held_since = now()`.execute(a.database.peek)

const placeIn = ({ database: { peek } }: TestContext) =>
  peek
    .selectFrom('workspaces')
    .select(['moving_to', 'moved_to'])
    .where('id', '=', workspaceId)
    .executeTakeFirst()

const refusedAs = (message: RegExp) => ({
  code: 'not_ready',
  message: expect.stringMatching(message),
})

test('a workspace does not leave a database whose sending is held', async () => {
  await hold()
  await expect(toB()).rejects.toMatchObject(refusedAs(/sends confirm-restore/))
  await sql`
    update instance set sending_held_since = null, sending_identity = 'of another database'`.execute(
    a.database.peek,
  )
  await expect(toB()).rejects.toMatchObject(refusedAs(/sends confirm-restore/))
  expect(await placeIn(a)).toEqual({ moving_to: null, moved_to: null })
})

/** While the mover waits for a table, on its way to the fence. */
async function moveDuring(work: () => Promise<unknown>) {
  const reached = Promise.withResolvers<void>()
  const done = Promise.withResolvers<void>()
  const locking = a.database.peek.transaction().execute(async (tx) => {
    await sql`lock table leads in row exclusive mode`.execute(tx)
    reached.resolve()
    await done.promise
  })
  await reached.promise
  const fencing = Promise.withResolvers<void>()
  const moving = toB(({ step }) => step === 'fence' && fencing.resolve())
  moving.catch(() => undefined)
  await fencing.promise
  await work()
  done.resolve()
  await locking
  await moving
}

async function expectNotMoved() {
  expect(await placeIn(a)).toEqual({ moving_to: null, moved_to: null })
  expect(await placeIn(b)).toBeUndefined()
}

test('a hold that begins while a workspace is moved keeps it where it is', async () => {
  await expect(moveDuring(hold)).rejects.toMatchObject(refusedAs(/sends confirm-restore/))
  await expectNotMoved()
})

test.each([
  ['source', () => a],
  ['target', () => b],
])('a migration of the %s while a workspace is moved keeps it where it is', async (_, ctxOf) => {
  const { peek } = ctxOf().database
  const migrate = () => sql`insert into migrations values ('9999_later.sql', now())`.execute(peek)
  await expect(moveDuring(migrate)).rejects.toMatchObject(refusedAs(/9999_later/))
  await expectNotMoved()
  await sql`delete from migrations where name = '9999_later.sql'`.execute(peek)
  const migrating = await peek.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(migrating)
  const { monotonicMs } = ctxOf()
  let looks = 0
  ctxOf().monotonicMs = () => monotonicMs() + 10_000 * looks++
  await expect(toB()).rejects.toMatchObject(refusedAs(/was just being migrated/))
  await expectNotMoved()
  await migrating.rollback().execute()
})

test('a process that starts while a workspace is moved, and looks for migrations, keeps it nowhere', async () => {
  const looking = await b.database.peek.startTransaction().execute()
  await sql`select pg_advisory_xact_lock(${migrationLock}::bigint)`.execute(looking)
  const { sleep } = b
  b.sleep = async (ms, signal) => {
    if (!looking.isCommitted) await looking.commit().execute()
    await sleep(ms, signal)
  }
  await toB()
  expect(looking.isCommitted).toBe(true)
  expect(await placeIn(b)).toEqual({ moving_to: null, moved_to: null })
})

test('what a person does while one of their workspaces is moved is in the audit log of the others', async () => {
  const ctx = asService(a)
  const passwordHash = 'none'
  const named = { name: 'Ann', email: 'ann@example.com', passwordHash, isOperator: false }
  const userId = await createUser(ctx, named)
  const other = await createWorkspace(ctx, 'Zeta')
  for (const id of [workspaceId, other.id]) {
    await addMember(ctx, { workspaceId: id, userId, role: 'admin' }, operator)
  }
  let recording: Promise<void> | undefined
  await toB(({ step }) => {
    if (step === 'copy') recording ??= recordForPerson(ctx, userId, 'user.signed_in', operator)
  })
  await recording
  const { peek } = a.database
  const signedIn = peek.selectFrom('audit_log').select('workspace_id')
  expect(await signedIn.where('action', '=', 'user.signed_in').execute()).toEqual([
    { workspace_id: other.id },
  ])
  expect(a.logLines.join('')).toContain('is not in the audit log of a moving workspace')
})

/** The other database was put back to a time before the move. */
async function forgetInB() {
  const { peek } = b.database
  await sql`delete from audit_log where workspace_id = ${workspaceId}::uuid`.execute(peek)
  await sql`delete from workspaces where id = ${workspaceId}::uuid`.execute(peek)
}

async function expectRefusedAsDeleted() {
  await expect(toB()).rejects.toMatchObject(refusedAs(/put b back from a backup/))
  await expect(cancelMove(asService(a), () => asService(b), workspaceId)).rejects.toMatchObject(
    refusedAs(/put b back from a backup/),
  )
  expect(await placeIn(a)).toEqual({ moving_to: 'b', moved_to: 'b' })
}

test('what was deleted after a move is neither moved again nor taken back as an empty workspace', async () => {
  await toB()
  await a.database.setClock(new Date(a.now().getTime() + 7_200_000))
  await cleanUpMoves(ofShards(a, b))
  await forgetInB()
  await expectRefusedAsDeleted()
})

test('what was deleted for a move back that failed is neither moved again nor taken back as an empty workspace', async () => {
  await toB()
  const movingBack = moveWorkspace(asService(b), asService(a), workspaceId, {
    ...{ sourceName: 'b', targetName: 'a', restMs: 0 },
    onProgress({ step }) {
      if (step === 'drain') throw new Error('killed')
    },
  })
  await expect(movingBack).rejects.toThrow('killed')
  await forgetInB()
  await expectRefusedAsDeleted()
})

test('an update migrates what a workspace has left', async () => {
  const { peek } = a.database
  await toB()
  // As if the last migration that writes to workspaces had come after the move.
  await sql`alter table workspaces drop column is_emptied`.execute(peek)
  await sql`drop index workspaces_name`.execute(peek)
  await sql`alter table workspaces add unique (name)`.execute(peek)
  await sql`delete from migrations where name = '0123_places_of_workspaces.sql'`.execute(peek)
  await sql`begin; set local outrider.mover = 'on';
    update workspaces set timestamp_moving = null where id = ${sql.lit(workspaceId)}; commit`.execute(
    peek,
  )
  expect(await migrate(a.database.url)).toEqual(['0123_places_of_workspaces.sql'])
  expect(await peek.selectFrom('workspaces').select('is_emptied').execute()).toEqual([
    { is_emptied: true },
  ])
})

test('an erasure of a workspace that is moved holds up those of no other', async () => {
  const { peek } = a.database
  const other = await createWorkspace(asService(a), 'Other')
  const erasure = (workspace: string, minutes: number) =>
    sql`
    insert into erasures (workspace_id, id, asked_by, address, lead_ids, state, is_waiting, looked_at,
      erased, due, timestamp_created, timestamp_updated)
    values (${workspace}::uuid, ${a.newId()}::uuid, '{"actor": {"type": "operator", "id": null}}', 'ada@lead.example', '{}', 'running', false, 0,
      ${JSON.stringify(nothing)}::jsonb,
      ${a.now()}::timestamptz - ${minutes} * interval '1 minute', ${a.now()}::timestamptz,
      ${a.now()}::timestamptz)`.execute(peek)
  await erasure(workspaceId, 2)
  await toB()
  await erasure(other.id, 1)
  await runErasures(asService(a))
  const { rows } = await sql<{ workspace_id: string; state: string }>`
    select workspace_id, state from erasures order by due`.execute(peek)
  expect(rows).toContainEqual({ workspace_id: other.id, state: 'finished' })
  expect(rows).toContainEqual({ workspace_id: workspaceId, state: 'running' })
})

test('another key seals everything but what a workspace has left, which the old one goes on to open', async () => {
  const other = await createWorkspace(asService(a), 'Other')
  for (const id of [workspaceId, other.id]) {
    const input = {
      name: 'Ours',
      target_hook_url: 'https://hooks.example/',
      event_type: 'all_events',
    } as const
    await createWebhook(inWorkspace(asService(a), id), id, input, operator)
  }
  await toB()
  const old = a.secrets
  const secrets = createSecretBox([Buffer.alloc(32, 7), Buffer.alloc(32, 1)])
  const turned = { ...asService(a), secrets: { ...secrets, open: old.open } }
  const gone = await listGone(ofShards(a, b))
  expect(gone).toEqual([workspaceId])
  await resealAll(turned, sealedColumns, gone)
  const counts = await countSealed(a.db, sealedColumns, gone)
  expect(counts.map(({ key_id }) => key_id)).toEqual(counts.map(() => secrets.keyId))
  expect(counts.length).toBeGreaterThan(0)
})
