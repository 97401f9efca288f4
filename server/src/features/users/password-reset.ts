import { type AnyContext, onFirstShard } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors.ts'
import { createToken, hashToken } from './one-time-token.ts'
import * as queries from './queries.ts'
import { hashPassword } from './users.ts'

const validMs = 3_600_000

export interface OneTimeLink {
  /** With the token behind #, so that no server and no log sees it. */
  path: string
  timestamp_expires: Date
}

/** Good for an hour and once; it makes earlier ones void. People lie on the first shard. */
export async function createPasswordReset(ctx: AnyContext, userId: string): Promise<OneTimeLink> {
  const token = createToken()
  const expires = new Date(ctx.now().getTime() + validMs)
  await transaction(onFirstShard(ctx), (tx) =>
    queries.replacePasswordReset(tx.db, {
      ...{ token_hash: hashToken(token), user_id: userId },
      ...{ timestamp_created: tx.now(), timestamp_expires: expires },
    }),
  )
  return { path: `/reset#${token}`, timestamp_expires: expires }
}

/** Links that were made before set no password any more. */
export const voidPasswordResets = (ctx: AnyContext, userIds: string[]) =>
  queries.deletePasswordResets(onFirstShard(ctx).db, userIds)

/**
 * Ends every session of the person.
 *
 * @param record is part of the transaction
 * @returns who it is
 */
export async function resetPassword<Ctx extends AnyContext>(
  ctx: Ctx,
  token: string,
  password: string,
  record: (tx: Ctx, userId: string) => Promise<void>,
) {
  const hash = hashToken(token)
  if (!(await queries.findPasswordReset(ctx.db, hash, ctx.now()))) throw spent()
  const passwordHash = await hashPassword(ctx, password)
  return transaction(ctx, async (tx) => {
    const reset = await queries.deletePasswordReset(tx.db, hash, tx.now())
    if (!reset) throw spent()
    await queries.replacePassword(tx.db, reset.user_id, passwordHash, {
      accountId: tx.newId(),
      now: tx.now(),
    })
    await queries.deleteOtherSessions(tx.db, reset.user_id, '')
    const user = await queries.findUser(tx.db, reset.user_id)
    if (!user) throw spent()
    await record(tx, user.id)
    return { email: user.email }
  })
}

const spent = () =>
  new AppError(
    'not_found',
    'This link was used or has expired; ask for a new one. If you have just set a password by it, sign in with that.',
  )
