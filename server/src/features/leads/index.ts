export type {
  EventBounce,
  EventMessage,
  LeadActivity,
  SkipReason,
} from './activity.ts'
export { addLeads } from './add-leads.ts'
export { type BroughtBack, bringBackLeads } from './bring-back.ts'
export { campaignLeadRoutes, campaignLeadSchemas } from './campaign-routes.ts'
export { companyOf } from './company.ts'
export { findLead } from './find-lead.ts'
export { followSteps } from './follow-steps.ts'
export { postponeLeads } from './postpone-queries.ts'
export { findLeadsAt } from './queries.ts'
export { leadRecord } from './record.ts'
export { recordActivities } from './record-activity.ts'
export { leadRoutes, leadSchemas } from './routes.ts'
export { takeBackSteps } from './take-back.ts'
export { countFollowUps, moveThreads, type WaitingLeads } from './thread-mailbox-queries.ts'
