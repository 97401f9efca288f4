import type { ReadOperation } from '../api/read-again.ts'

/** What is read again when the server says that a topic has changed: operations, by their ids. */
export const operationsOfTopic: Record<string, readonly ReadOperation[]> = {
  campaigns: [
    ...(['listCampaignNames', 'getCampaign', 'listCampaignSummaries'] as const),
    // Not `forecastCampaign`: of a large campaign it takes seconds. *Launch* and another version of the campaign ask for it.
    ...(['readCampaignReadiness', 'listRefusedCopies'] as const),
    // A lead's panel and a preview say what keeps the campaign from sending.
    ...(['getLeadOverview', 'previewMail', 'getHeldBack'] as const),
    ...(['readCampaignAnalytics', 'listSends', 'getHome', 'getAnalytics'] as const),
  ],
  leads: [
    ...(['getLead', 'listLeads', 'countLeads', 'getLeadOverview', 'listLeadHistory'] as const),
    ...(['getLeadJob', 'listLeadJobs', 'listErasures', 'previewMail', 'getHeldBack'] as const),
  ],
  inbox: ['listThreads', 'countThreads', 'getThread', 'listThreadMessages', 'listFoundWords'],
  deliveries: [
    ...(['listWebhookEvents', 'getWebhookEvent', 'getTryOut'] as const),
    ...(['listWebhookHealth', 'getWebhookHealth', 'getHome'] as const),
  ],
  imports: ['listImports', 'getImport'],
  mailboxes: [
    ...(['listMailboxes', 'listRemovedMailboxes', 'getMailbox', 'getMailboxUse'] as const),
    ...(['getHome', 'getLeadOverview', 'previewMail'] as const),
  ],
  webhooks: [
    ...(['listWebhooks', 'getWebhook', 'listWebhookEventTypes', 'getHome'] as const),
    ...(['listWebhookHealth', 'getWebhookHealth', 'countMissedEvents'] as const),
  ],
  keys: ['listServiceAccountKeys', 'getHome'],
  labels: ['listLabels', 'listWebhookEventTypes'],
  suppressions: [
    ...(['listSuppressions', 'countSuppressions'] as const),
    // Who is suppressed is shown so, and what keeps a lead from its next mail.
    ...(['listLeads', 'getLeadOverview', 'previewMail'] as const),
  ],
  members: ['listMembers', 'listInvitations'],
  workspace: ['getWorkspace', 'getUsage', 'getHome'],
  audit: ['listAudit'],
  credits: [
    ...(['getAcquisitionBalance', 'listCreditEntries'] as const),
    ...(['listAcquireLists', 'listAcquiredContacts'] as const),
  ],
}

/** Topics that many people or mails change at once: pages read them again less often. */
const busy = new Set(['campaigns', 'leads', 'deliveries'])

/** How long after reading something it is left alone. Nobody looks at a hidden page. */
export const pauseMsOf = (topic: string, isHidden: boolean) => {
  if (isHidden) return 30_000
  return busy.has(topic) ? 2000 : 500
}
