import type { Context } from '../../kernel/context.ts'
import { type OptedOut, optOut, readOptOut } from '../directory/index.ts'
import { findRevealed } from './cross-workspace.ts'

/**
 * Removes a person, or everybody of a domain: also those whose address the directory does not know,
 * because a reveal found it.
 */
export async function optOutEverywhere(ctx: Context, addressOrDomain: string): Promise<OptedOut> {
  const revealed = await findRevealed(ctx.db, readOptOut(addressOrDomain))
  return await optOut(ctx, addressOrDomain, revealed)
}
