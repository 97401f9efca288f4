/** What pages show, and read again when they are told that it has changed. */
export type Topic =
  | 'campaigns'
  | 'leads'
  | 'inbox'
  | 'deliveries'
  | 'imports'
  | 'mailboxes'
  | 'webhooks'
  | 'keys'
  | 'labels'
  | 'suppressions'
  | 'members'
  | 'credits'
  | 'workspace'
  | 'audit'

/** What an entry of the audit log is about, and the topics that change with it. */
const topicsOfSubjects: Record<string, readonly Topic[]> = {
  campaign: ['campaigns'],
  import: ['imports'],
  invitation: ['members'],
  key: ['keys'],
  label: ['labels'],
  ...{ lead: ['leads', 'inbox'], lead_job: ['leads', 'inbox'] },
  mailbox: ['mailboxes', 'inbox'],
  send: ['campaigns', 'leads'],
  suppression: ['suppressions', 'inbox'],
  thread: ['inbox'],
  user: ['members'],
  webhook: ['webhooks'],
  workspace: ['workspace', 'credits'],
}

export const topicsOfSubject = (subjectType: string): readonly Topic[] => [
  'audit',
  ...(topicsOfSubjects[subjectType] ?? []),
]

/** By what stands before the first dot of an event's type. */
const topicsOfEvents: Record<string, readonly Topic[]> = {
  campaign: ['campaigns'],
  contact: ['credits'],
  email: ['leads', 'campaigns'],
  lead: ['leads', 'campaigns', 'inbox'],
  mailbox: ['mailboxes', 'inbox'],
}

export const topicsOfEvent = (type: string): readonly Topic[] =>
  topicsOfEvents[type.slice(0, type.indexOf('.'))] ?? []
