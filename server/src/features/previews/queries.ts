import type { Db } from '../../kernel/db/db.ts'

export interface SentRow {
  step_id: string
  variant_id: string | null
  message_id: string
  starts_thread: boolean
  subject: string | null
}

/** What the lead was sent, oldest first. */
export const listSent = (db: Db, workspaceId: string, leadId: string): Promise<SentRow[]> =>
  db
    .selectFrom('sends')
    .select((of) => [
      'step_id',
      'variant_id',
      of.fn.coalesce('provider_message_id', 'message_id').as('message_id'),
      'starts_thread',
      'subject',
    ])
    .where('workspace_id', '=', workspaceId)
    .where('lead_id', '=', leadId)
    .where('kind', '=', 'step')
    .where('state', 'in', ['sent', 'uncertain'])
    .orderBy('timestamp_transmitting')
    .orderBy('id')
    .execute()
