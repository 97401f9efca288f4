import type { AnyContext } from '../../kernel/context.ts'
import type { Resealed, SealedCount } from '../../kernel/sealed-columns/index.ts'
import { authKeys, authOf } from './auth.ts'
import * as queries from './queries.ts'

/** How many second factors each key has encrypted. */
export async function countSecondFactors(
  ctx: Pick<AnyContext, 'db' | 'secrets'>,
): Promise<SealedCount[]> {
  const versions = authKeys(ctx).map(({ version }) => String(version))
  const counts = await queries.countSecondFactors(ctx.db)
  return counts.map(({ version, count }) => ({
    ...{ label: 'second factors', count },
    key_id: ctx.secrets.keyIds[versions.indexOf(version)] ?? 'unknown',
  }))
}

/**
 * Encrypts all second factors with the first key; by itself better-auth uses it only for people who
 * enrol anew. It may run beside the service, more than once, and be broken off at any time.
 */
export async function resealSecondFactors(ctx: AnyContext): Promise<Resealed> {
  const total: Resealed = { resealed: 0, unreadable: 0 }
  const [{ version } = { version: 0 }] = authKeys(ctx)
  for (const row of await queries.findForeignSecondFactors(ctx.db, version)) {
    const anew = await encryptAnew(ctx, row)
    if (!anew) total.unreadable += 1
    else if (await queries.replaceSecondFactor(ctx.db, row, anew)) total.resealed += 1
  }
  return total
}

/** Undefined when no key that is given here opens it. */
async function encryptAnew(ctx: AnyContext, row: { secret: string; backup_codes: string }) {
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const { secretConfig: key } = await (await authOf(ctx)).$context
  const anew = async (data: string) =>
    symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data }) })
  try {
    return { secret: await anew(row.secret), backup_codes: await anew(row.backup_codes) }
  } catch {
    return undefined
  }
}
