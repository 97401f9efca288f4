import { type Insertable, sql, type Updateable } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import type { PasswordResets, UserAccounts, Users } from '../../kernel/db/types.gen.ts'

/** Until the end of the transaction: one of several who set up at once is the first. */
export const lockUsers = (tx: AnyDb) =>
  sql`/* installation: its users */
    select pg_advisory_xact_lock(hashtext('outrider users'))`.execute(tx)

export async function hasUsers(db: AnyDb): Promise<boolean> {
  const user = await db.selectFrom('users').select('id').limit(1).executeTakeFirst()
  return user !== undefined
}

/** @returns false, with nothing written, where somebody has the address */
export async function insertUser(
  tx: AnyDb,
  user: Insertable<Users>,
  account: Insertable<UserAccounts>,
): Promise<boolean> {
  const added = await tx
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (!added) return false
  await tx.insertInto('user_accounts').values(account).execute()
  return true
}

export const findUser = (db: AnyDb, id: string) =>
  db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()

export const findUserByEmail = (db: AnyDb, email: string) =>
  db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

/** By address. */
export const listUsers = (db: AnyDb) =>
  db.selectFrom('users').selectAll().orderBy('email').execute()

export const listUsersById = (db: AnyDb, ids: string[]) =>
  db.selectFrom('users').selectAll().where('id', 'in', ids).execute()

export const updateUser = (db: AnyDb, id: string, changes: Updateable<Users>) =>
  db.updateTable('users').set(changes).where('id', '=', id).execute()

/** Of those that have not expired, the latest used first. */
export const listSessions = (db: AnyDb, userId: string, now: Date) =>
  db
    .selectFrom('user_sessions')
    .select(['id', 'ip_address', 'user_agent'])
    .select(['timestamp_created', 'timestamp_updated', 'timestamp_expires'])
    .where('user_id', '=', userId)
    .where('timestamp_expires', '>', now)
    .orderBy('timestamp_updated', 'desc')
    .orderBy('id', 'desc')
    .execute()

export const findUserOfSession = async (db: AnyDb, token: string) =>
  (
    await db
      .selectFrom('user_sessions')
      .select('user_id')
      .where('token', '=', token)
      .executeTakeFirst()
  )?.user_id

export const deleteSessionById = (db: AnyDb, userId: string, id: string) =>
  db
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()

/** Sessions, and sign-ins that were begun. */
export async function deleteExpired(db: AnyDb, now: Date): Promise<void> {
  await db.deleteFrom('user_sessions').where('timestamp_expires', '<=', now).execute()
  await db.deleteFrom('user_verifications').where('timestamp_expires', '<=', now).execute()
}

/** Sign-ins that wait for their second factor. */
const deleteHalfSignIns = (db: AnyDb, userId: string) =>
  db.deleteFrom('user_verifications').where('value', '=', userId).execute()

/**
 * Sign-ins that wait for their second factor, too: they become sessions by what was true before.
 *
 * @param token of the session that stays; none when empty
 */
export async function deleteOtherSessions(db: AnyDb, userId: string, token: string): Promise<void> {
  await deleteHalfSignIns(db, userId)
  await db
    .deleteFrom('user_sessions')
    .where('user_id', '=', userId)
    .where('token', '<>', token)
    .execute()
}

/** Of providers: whoever signs in by a password alone has none. */
export const listProviderAccounts = (db: AnyDb, userId: string) =>
  db
    .selectFrom('user_accounts')
    .select('id')
    .where('user_id', '=', userId)
    .where('provider_id', '<>', 'credential')
    .execute()

const deletePassword = (tx: AnyDb, userId: string) =>
  tx
    .deleteFrom('user_accounts')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute()

/**
 * Everything that lets somebody in without the provider: the password with its second factor, links to
 * reset it, sessions.
 */
export async function deleteAccess(tx: AnyDb, userId: string, now: Date): Promise<void> {
  await deletePassword(tx, userId)
  await deletePasswordResets(tx, [userId])
  await deleteSecondFactor(tx, userId, now)
  await deleteOtherSessions(tx, userId, '')
}

/** What lets somebody in now, but for the provider: a change that is under way is waited for. */
export const findPassword = async (db: AnyDb, who: { id: string } | { email: string }) =>
  await db
    .selectFrom('users')
    .innerJoin('user_accounts', 'user_accounts.user_id', 'users.id')
    .select(['users.id', 'users.two_factor_enabled'])
    .select(['user_accounts.id as account_id', 'user_accounts.password'])
    .where((row) =>
      'id' in who ? row('users.id', '=', who.id) : row('users.email', '=', who.email),
    )
    .where('user_accounts.provider_id', '=', 'credential')
    .forShare('user_accounts')
    .executeTakeFirst()

export const deletePasswordResets = (db: AnyDb, userIds: string[]) =>
  db.deleteFrom('password_resets').where('user_id', 'in', userIds).execute()

export async function replacePasswordReset(tx: AnyDb, reset: Insertable<PasswordResets>) {
  await deletePasswordResets(tx, [reset.user_id])
  await tx.insertInto('password_resets').values(reset).execute()
}

export const findPasswordReset = (db: AnyDb, tokenHash: Buffer, now: Date) =>
  db
    .selectFrom('password_resets')
    .select('user_id')
    .where('token_hash', '=', tokenHash)
    .where('timestamp_expires', '>', now)
    .executeTakeFirst()

/** Once: a second call matches no row. */
export const deletePasswordReset = (db: AnyDb, tokenHash: Buffer, now: Date) =>
  db
    .deleteFrom('password_resets')
    .where('token_hash', '=', tokenHash)
    .where('timestamp_expires', '>', now)
    .returning('user_id')
    .executeTakeFirst()

/**
 * Sets a password, also of somebody who had none, because they signed in elsewhere. In a row of its own: a
 * change that is under way by the password before finds none to write to.
 */
export async function replacePassword(
  tx: AnyDb,
  userId: string,
  password: string,
  { accountId, now }: { accountId: string; now: Date },
): Promise<void> {
  await deletePassword(tx, userId)
  await tx
    .insertInto('user_accounts')
    .values({
      ...{ id: accountId, user_id: userId, provider_id: 'credential', account_id: userId },
      ...{ password, timestamp_created: now, timestamp_updated: now },
    })
    .execute()
}

export async function deleteSecondFactor(tx: AnyDb, userId: string, now: Date): Promise<void> {
  await tx.deleteFrom('user_two_factors').where('user_id', '=', userId).execute()
  const off = { two_factor_enabled: false, timestamp_updated: now }
  await tx.updateTable('users').set(off).where('id', '=', userId).execute()
}

/** The number of the key stands between the second and the third dollar sign. */
const keyVersion = sql<string>`split_part(secret, '$', 3)`

/** By the number of the key that has encrypted them. */
export const countSecondFactors = (db: AnyDb) =>
  db
    .selectFrom('user_two_factors')
    .select([keyVersion.as('version'), sql<number>`count(*)::int`.as('count')])
    .groupBy(keyVersion)
    .execute()

/** All that another key has encrypted. */
export const findForeignSecondFactors = (db: AnyDb, version: number) =>
  db
    .selectFrom('user_two_factors')
    .select(['id', 'secret', 'backup_codes'])
    .where(keyVersion, '<>', String(version))
    .execute()

/** Only where it still is what was read. @returns whether it was */
export async function replaceSecondFactor(
  db: AnyDb,
  { id, secret, backup_codes }: { id: string; secret: string; backup_codes: string },
  anew: { secret: string; backup_codes: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_two_factors')
    .set(anew)
    .where('id', '=', id)
    .where('secret', '=', secret)
    .where('backup_codes', '=', backup_codes)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export const deleteSession = (db: AnyDb, token: string) =>
  db.deleteFrom('user_sessions').where('token', '=', token).execute()

/** What came of a password, whether it is a session or waits for a second factor. */
export async function deleteSignIn(db: AnyDb, userId: string, token: string): Promise<void> {
  await deleteHalfSignIns(db, userId)
  await deleteSession(db, token)
}

/**
 * Notes that a code was used, once for as long as it may be valid.
 *
 * @returns false when it was used before
 */
export async function insertCodeUse(
  db: AnyDb,
  use: { userId: string; code: string; usedAt: Date },
  forgottenBefore: Date,
): Promise<boolean> {
  const { userId, code, usedAt } = use
  await db
    .deleteFrom('user_code_uses')
    .where('user_id', '=', userId)
    .where('timestamp_used', '<', forgottenBefore)
    .execute()
  const inserted = await db
    .insertInto('user_code_uses')
    .values({ user_id: userId, code, timestamp_used: usedAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('code')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function isCodeUsed(
  db: AnyDb,
  { userId, code, usedAfter }: { userId: string; code: string; usedAfter: Date },
): Promise<boolean> {
  const use = await db
    .selectFrom('user_code_uses')
    .select('code')
    .where('user_id', '=', userId)
    .where('code', '=', code)
    .where('timestamp_used', '>=', usedAfter)
    .executeTakeFirst()
  return use !== undefined
}
