import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { ChangedBy } from '../audit/index.ts'
import { recordCampaignChange } from './audit-change.ts'
import { getCampaign } from './campaigns.ts'
import * as queries from './queries.ts'
import type { Campaign } from './schema.ts'

/**
 * Deletes a campaign that never sent: what has sent is a part of people's history. Its leads are
 * deleted first, while nobody can add one, so that none is written to meanwhile. A campaign that does
 * not run sends no mail that was claimed before, and a mail that its server may have taken is in the ledger.
 *
 * @param deleteLeads resolves with whether one of them was written to, or wrote
 */
export async function deleteUnsent(
  tx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
  deleteLeads: () => Promise<boolean>,
): Promise<Campaign> {
  const [row] = await queries.lockCampaign(tx.db, workspaceId, id)
  if (!row) throw notFound('campaign')
  if (row.status === 'active') {
    throw new AppError('invalid_transition', 'The campaign runs; pause it before you delete it.')
  }
  const campaign = await getCampaign(tx, workspaceId, id)
  if (await deleteLeads()) {
    throw new AppError(
      'invalid_transition',
      'The campaign has begun to send mails, or got an answer, and is kept: what was sent stays known.',
    )
  }
  await queries.deleteCampaign(tx.db, workspaceId, id)
  await recordCampaignChange(tx, campaign, 'deleted', by)
  return campaign
}
