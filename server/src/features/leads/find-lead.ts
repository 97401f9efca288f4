import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { emailInQuery, parseEmail } from '../../kernel/email.ts'
import { AppError } from '../../kernel/errors.ts'
import * as queries from './queries.ts'
import { leadRecord, type StoredLead } from './record.ts'
import type { Lead, LeadLookup } from './schema.ts'

export async function getLead(
  ctx: Context,
  workspaceId: string,
  lookup: LeadLookup,
): Promise<Lead> {
  const email = emailInQuery(lookup.email)
  const lead = await findLead(ctx.db, workspaceId, lookup.campaign_id, email)
  if (!lead) throw noSuchLead()
  return leadRecord(lead)
}

/** By any spelling of its address. */
export async function findLead(
  db: Db,
  workspaceId: string,
  campaignId: string,
  email: string,
): Promise<StoredLead | undefined> {
  const address = parseEmail(email)
  return address && queries.findLead(db, workspaceId, campaignId, address.folded)
}

export const noSuchLead = () =>
  new AppError(
    'not_found',
    'No lead with this address in this campaign; check email and campaign_id.',
  )
