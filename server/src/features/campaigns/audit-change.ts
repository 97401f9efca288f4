import type { Context } from '../../kernel/context.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'

/** @param changed names of the settings; without them the whole campaign */
export const recordCampaignChange = (
  tx: Context,
  { id, workspace_id: workspaceId }: { id: string; workspace_id: string },
  action: 'created' | 'updated' | 'activated' | 'paused' | 'deleted',
  by: ChangedBy,
  changed: object = {},
) =>
  recordAudit(tx, {
    ...{ ...by, workspaceId, action: `campaign.${action}` },
    ...{ subjectType: 'campaign', subjectId: id },
    details: Object.keys(changed).length === 0 ? {} : { changed: Object.keys(changed).sort() },
  })
