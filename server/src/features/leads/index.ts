export type {
  EventBounce,
  EventMessage,
  LeadActivity,
  SkipReason,
} from './activity.ts'
export { addLeads } from './add-leads.ts'
export { leadApplicationRoutes, leadApplicationSchemas } from './application-routes.ts'
export { type BroughtBack, bringBackLeads } from './bring-back.ts'
export { changeMany, dropOldLeadJobs, leadJobKind, runLeadJobs } from './bulk/jobs.ts'
export { campaignLeadRoutes, campaignLeadSchemas } from './campaign-routes.ts'
export { companyOf } from './company.ts'
export { findLead } from './find-lead.ts'
export { followSteps } from './follow-steps.ts'
export { countKept as countKeptLeads } from './list-queries.ts'
export { postponeLeads } from './postpone-queries.ts'
export { findLeadById, findLeadsAt } from './queries.ts'
export { isErased, leadRecord } from './record.ts'
export { recordActivities } from './record-activity.ts'
export { leadRoutes, leadSchemas } from './routes.ts'
export {
  Lead,
  type LeadInput,
  leadExample,
  type TextField,
  textFields,
  variableNameMax,
  variablesMax,
  variableTextMax,
} from './schema.ts'
export { takeBackSteps } from './take-back.ts'
export { countFollowUps, moveThreads, type WaitingLeads } from './thread-mailbox-queries.ts'
