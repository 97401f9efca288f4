export type {
  EventBounce,
  EventMessage,
  LeadActivity,
  MadeOf,
  SkipReason,
} from './activity/activity.ts'
export { recordActivities } from './activity/record-activity.ts'
export { addLeads } from './adding/add-leads.ts'
export { companyOf } from './adding/company.ts'
export { leadApplicationRoutes, leadApplicationSchemas } from './application-routes.ts'
export { askedNobody } from './asked-nobody.ts'
export { changeMany, leadJobKind } from './bulk/jobs.ts'
export { dropOldLeadJobs, runLeadJobs } from './bulk/run-jobs.ts'
export { campaignLeadRoutes, campaignLeadSchemas } from './campaign-routes.ts'
export { countInCampaigns } from './change-leads.ts'
export { claimsLock, lockAgainstClaims } from './claims-lock-queries.ts'
export { findLead } from './find-lead.ts'
export { postponeLeads } from './following/postpone-queries.ts'
export { rescheduleLeads } from './following/reschedule-leads.ts'
export { takeBackSteps } from './following/take-back.ts'
export { countKept as countKeptLeads } from './lists/list-queries.ts'
export { findLeadById, findLeadsAt, lockLeads } from './queries.ts'
export { isErased, isSending, leadRecord, type StoredLead, whyNotMade } from './record.ts'
export { leadRoutes, leadSchemas } from './routes.ts'
export {
  type AddedLeads,
  Lead,
  type LeadInput,
  leadExample,
  type TextField,
  textFields,
  textNames,
  variableNameMax,
  variablesMax,
  variableTextMax,
} from './schema.ts'
export {
  type BroughtBack,
  bringBackLeads,
  bringBackLeadsAt,
  stayBlocked,
} from './status/bring-back.ts'
export { sendingByStatus } from './status/plan-status-change.ts'
export { stopErased, stopOptedOut } from './status/stop-known-by-hash.ts'
export {
  countFollowUps,
  listCampaignsOfThreads,
  moveThreads,
  type WaitingLeads,
} from './thread-mailbox-queries.ts'
export { whyNeverSent, whyNotSent } from './why-not-sent.ts'
