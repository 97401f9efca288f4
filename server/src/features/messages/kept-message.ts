/** A mail that was sent or received, as it is kept. */
export interface NewMessage {
  workspace_id: string
  /** A UUIDv7 of about now: it chooses the partition. */
  id: string
  direction: 'out' | 'in'
  /** `step`, `manual`, `reply`, `auto_reply`, `bounce` … */
  kind: string
  mailbox_id: string
  campaign_id: string | null
  lead_id: string | null
  step_id: string | null
  step: number | null
  variant: number | null
  /** With its angle brackets. */
  message_id: string | null
  in_reply_to: string | null
  /** The lead's id; without a lead, that of the first message. */
  thread_id: string
  from_address: string
  to_addresses: string[]
  cc_addresses?: string[]
  subject: string
  text: string
  /** Of what came in as it came: whoever shows it makes it safe. */
  html: string | null
  size_bytes: number | null
  /** For lists; the beginning of the text, if it is not given. */
  snippet?: string
  /** What only this kind has. */
  details?: Record<string, unknown>
  timestamp: Date
}

export type StoredMessage = Required<NewMessage>

/** A mail without what may be long in it. */
export type MessageHead = Pick<
  StoredMessage,
  | 'id'
  | 'direction'
  | 'kind'
  | 'message_id'
  | 'in_reply_to'
  | 'from_address'
  | 'to_addresses'
  | 'subject'
  | 'details'
  | 'timestamp'
>
