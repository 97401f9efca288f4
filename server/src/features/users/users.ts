import { type AnyContext, onFirstShard } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { authOf } from './auth.ts'
import * as queries from './queries.ts'

export interface NewUser {
  name: string
  /** Folded: `readEmail` gives it. */
  email: string
  passwordHash: string
  isOperator?: boolean
}

/** Whether anybody has set up this installation. */
export const isSetUp = (ctx: AnyContext) => queries.hasUsers(ctx.db)

/** Keeps others from making the first user until the end of the transaction. */
export const lockUsers = (tx: AnyContext) => queries.lockUsers(tx.db)

/**
 * @param tx on the first shard
 * @returns the id
 * @throws AppError `not_signed_in` when the address has an account, also one that came at this instant
 */
export async function createUser(tx: AnyContext, user: NewUser): Promise<string> {
  const id = tx.newId()
  const times = { timestamp_created: tx.now(), timestamp_updated: tx.now() }
  const isNew = await queries.insertUser(
    tx.db,
    {
      ...{ id, name: user.name, email: user.email, is_operator: user.isOperator ?? false },
      // Whoever invited them stands for it, and nobody else makes accounts.
      email_verified: true,
      ...times,
    },
    {
      ...{ id: tx.newId(), user_id: id, provider_id: 'credential', account_id: id },
      ...{ password: user.passwordHash, ...times },
    },
  )
  if (!isNew) throw new AppError('not_signed_in', 'The address has an account: sign in with it.')
  return id
}

/** scrypt, off the event loop; outside of transactions, because it takes 100 ms. */
export async function hashPassword(ctx: AnyContext, password: string): Promise<string> {
  const { password: passwords } = await (await authOf(ctx)).$context
  return await passwords.hash(password)
}

/** The form in which an address is kept and looked up; what is no address stays one that nobody has. */
export const foldEmail = (text: string) => parseEmail(text)?.folded ?? text.toLowerCase()

/** What better-auth takes at sign-in, by the expression of its validator. */
const signInTakes = /^[a-z\d_'+.-]*[a-z\d_+-]@(?:[a-z\d][a-z\d-]*\.)+[a-z]{2,}$/

/**
 * The address of a new account, folded.
 *
 * @throws AppError `invalid_field`, also for one that nobody could sign in with
 */
export function readEmail(text: string): string {
  const email = parseEmail(text)
  if (!email) throw invalidField('/email', 'email must be an address such as ann@example.com')
  if (signInTakes.test(email.folded)) return email.folded
  throw invalidField(
    '/email',
    "email must have letters from a to z, digits and . _ + - ' alone before the @, and a domain that ends in letters from a to z: sign-in takes no other",
  )
}

/** By address. */
export const listUsers = (ctx: AnyContext) => queries.listUsers(ctx.db)

export const listUsersById = async (ctx: AnyContext, ids: string[]) =>
  ids.length === 0 ? [] : queries.listUsersById(onFirstShard(ctx).db, ids)

export const findUserByEmail = (ctx: AnyContext, email: string) =>
  queries.findUserByEmail(onFirstShard(ctx).db, foldEmail(email))

/** Whether they have ever signed in at a provider. */
export const hasProvider = async (ctx: AnyContext, userId: string) =>
  (await queries.listProviderAccounts(onFirstShard(ctx).db, userId)).length > 0

/** @throws AppError `not_found` */
export async function getUserByEmail(ctx: AnyContext, email: string) {
  const user = await findUserByEmail(ctx, email)
  if (user) return user
  throw new AppError('not_found', 'No user has this address; "outrider users list" shows all.')
}

/** For somebody who has lost it: they sign in with their password alone from then on. */
export const dropSecondFactor = (ctx: AnyContext, userId: string) =>
  transaction(ctx, (tx) => queries.deleteSecondFactor(tx.db, userId, tx.now()))
