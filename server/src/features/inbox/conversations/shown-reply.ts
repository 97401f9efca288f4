import type { ReplyContent, ReplyRow } from '../../sending/index.ts'

/** A reply of ours as people see it. */
export interface ShownReply
  extends Omit<ReplyRow, 'lead_id' | 'step_id' | 'reply'>,
    Pick<
      ReplyContent,
      'idempotency_key' | 'from_address' | 'to_address' | 'subject' | 'text' | 'html' | 'is_forced'
    > {
  thread_id: string
  /** Null: at the command line. */
  written_by: string | null
  timestamp_created: Date
}

export function shownReply({ lead_id, step_id, reply, ...row }: ReplyRow): ShownReply {
  const { idempotency_key, from_address, to_address, subject, text, html, is_forced } = reply
  return {
    ...row,
    thread_id: lead_id,
    ...{ idempotency_key, from_address, to_address, subject, text, html, is_forced },
    written_by: reply.written_by ?? null,
    timestamp_created: new Date(reply.timestamp_created),
  }
}
