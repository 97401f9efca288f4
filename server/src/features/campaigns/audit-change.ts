import type { Context } from '../../kernel/context.ts'
import { type Actor, recordAudit } from '../audit/index.ts'

/** The person or key that changes a campaign. */
export interface ChangedBy {
  actor: Actor
  requestId: string
}

/** @param changed names of the settings; without them the whole campaign */
export const recordCampaignChange = (
  tx: Context,
  { id, workspace_id: workspaceId }: { id: string; workspace_id: string },
  action: 'created' | 'updated' | 'activated' | 'paused' | 'deleted',
  { actor, requestId }: ChangedBy,
  changed: object = {},
) =>
  recordAudit(tx, {
    ...{ workspaceId, actor, requestId, action: `campaign.${action}` },
    ...{ subjectType: 'campaign', subjectId: id },
    details: Object.keys(changed).length === 0 ? {} : { changed: Object.keys(changed).sort() },
  })
