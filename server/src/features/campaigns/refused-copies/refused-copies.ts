import type { Context } from '../../../kernel/context.ts'
import { recordAudit, service } from '../../audit/index.ts'
import * as queries from './refused-copy-queries.ts'

/** A mail of a campaign that went out without one of its copies. */
export interface RefusedCopy {
  campaign_id: string
  /** Of its cc_list or bcc_list. */
  address: string
  /** SMTP reply code, enhanced where there is one. */
  code: string | null
  /** The mail server's words. */
  message: string
}

/** Notes refused copies, for the page of the campaign and `campaigns list`; the audit log tells of each address once. */
export async function recordRefusedCopies(
  tx: Context,
  workspaceId: string,
  refused: RefusedCopy[],
) {
  const keyOf = ({ campaign_id, address }: RefusedCopy) => `${campaign_id} ${address}`
  const groups = [...Map.groupBy(refused, keyOf).entries()].sort(([a], [b]) => (a < b ? -1 : 1))
  const copies = groups.flatMap(([, [first, ...rest]]) =>
    first ? [{ ...first, mails: 1 + rest.length }] : [],
  )
  const noted = await queries.upsertRefusedCopies(tx.db, workspaceId, copies, tx.now())
  const isNew = new Set(noted.filter((row) => row.is_new).map(({ campaign_id }) => campaign_id))
  for (const campaignId of isNew) {
    tx.log.warn({ campaign: campaignId }, 'a copy of its mails is refused: they go out without it')
    await recordAudit(tx, {
      ...{ workspaceId, ...service, action: 'campaign.copy_refused' },
      ...{ subjectType: 'campaign', subjectId: campaignId },
    })
  }
}
