import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { ChangedBy } from '../audit/index.ts'
import { recordCampaignChange } from './audit-change.ts'
import { getCampaign } from './campaigns.ts'
import * as queries from './queries.ts'
import type { Campaign } from './schema.ts'

/**
 * Deletes a draft, which never sent: what has sent is a part of people's history. Its leads are
 * deleted in between, while nobody can add one.
 */
export async function deleteDraft(
  tx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
  deleteLeads: () => Promise<unknown>,
): Promise<Campaign> {
  const [row] = await queries.lockCampaign(tx.db, workspaceId, id)
  if (!row) throw notFound('campaign')
  if (row.status !== 'draft') {
    throw new AppError(
      'invalid_transition',
      'Only a draft can be deleted; pause this campaign instead: its history stays.',
    )
  }
  const campaign = await getCampaign(tx, workspaceId, id)
  await deleteLeads()
  await queries.deleteDraft(tx.db, workspaceId, id)
  await recordCampaignChange(tx, campaign, 'deleted', by)
  return campaign
}
