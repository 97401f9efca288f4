import type { NewMessage } from '../../messages/index.ts'
import type { LedgerRow } from './settle-queries.ts'
import type { Settlement } from './settlement.ts'

/** The mail as it is kept. Of one whose sender died only the subject is left. */
export function sentMessage(settlement: Settlement, row: LedgerRow): NewMessage {
  const { mail, mailbox, recipient, at } = settlement
  return {
    workspace_id: row.workspace_id,
    id: row.id,
    direction: 'out',
    kind: 'step',
    mailbox_id: row.mailbox_id,
    campaign_id: row.campaign_id,
    lead_id: row.lead_id,
    step_id: row.step_id,
    step: row.step,
    variant: row.variant,
    message_id: row.message_id,
    in_reply_to: mail?.in_reply_to ?? null,
    thread_id: row.lead_id,
    from_address: mailbox,
    to_addresses: [recipient],
    cc_addresses: mail?.cc_addresses ?? [],
    subject: row.subject ?? '',
    text: mail?.text ?? '',
    html: mail?.html ?? null,
    size_bytes: mail?.size_bytes ?? null,
    timestamp: row.timestamp_transmitting ?? at,
  }
}
