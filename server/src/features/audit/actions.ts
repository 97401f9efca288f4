/** What is recorded, by what it is done to. The application has a text for each. */
const actionsOf = {
  key: ['created', 'revoked'],
  webhook: ['created', 'updated', 'enabled', 'disabled', 'replayed', 'deleted'],
  campaign: [
    ...(['created', 'updated', 'activated', 'paused', 'deleted'] as const),
    ...(['test_sent', 'copy_refused'] as const),
  ],
  lead: [
    ...(['status_set', 'paused', 'resumed', 'unsubscribed', 'moved', 'deleted'] as const),
    ...(['undone', 'updated', 'erased', 'many_status_set', 'many_paused'] as const),
    ...(['many_resumed', 'many_unsubscribed', 'many_moved', 'many_deleted'] as const),
    ...(['many_stopped', 'many_undone'] as const),
  ],
  thread: ['answered', 'done', 'reopened', 'snoozed'],
  mailbox: [
    ...(['added', 'updated', 'paused', 'resumed', 'failed', 'recovered'] as const),
    ...(['handed_over', 'removed'] as const),
  ],
  suppression: ['added', 'imported', 'removed', 'undone'],
  label: ['created', 'renamed', 'updated', 'archived'],
  member: ['added', 'role_set', 'removed', 'reset_link_created'],
  invitation: ['created', 'deleted'],
  workspace: ['set', 'plan_set', 'kept', 'move_begun', 'move_cancelled', 'moved'],
  import: ['started', 'cancelled'],
  send: ['arrived', 'repeated'],
  credits: ['granted', 'refunded'],
  user: [
    ...(['signed_in', 'changed_password', 'reset_link_created', 'reset_password'] as const),
    ...(['turned_second_factor_on', 'turned_second_factor_off', 'renewed_backup_codes'] as const),
  ],
} as const

type Resource = keyof typeof actionsOf

/** `<resource>.<past tense>`, as `key.revoked`. */
export type AuditAction = {
  [R in Resource]: `${R}.${(typeof actionsOf)[R][number]}`
}[Resource]

export const auditActions = Object.entries(actionsOf).flatMap(([resource, names]) =>
  names.map((name) => `${resource}.${name}` as AuditAction),
)
