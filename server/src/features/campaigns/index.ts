export { campaignPageRoutes, campaignPageSchemas } from './application-routes.ts'
export {
  getCampaign,
  hasRoomForNewLeads,
  listCampaigns,
  listWatchedCampaigns,
  type WatchedCampaign,
} from './campaigns.ts'
export {
  type CampaignToReschedule,
  countWithoutUnsubscribing,
  findCampaignsToReschedule,
} from './cross-workspace.ts'
export { deleteUnsent } from './delete-campaign.ts'
export { addLeadCounts, lockLeadCounts } from './lead-counts.ts'
export { addFormerSender } from './queries.ts'
export { type RefusedCopy, recordRefusedCopies } from './refused-copies/refused-copies.ts'
export { listRefusedCopies } from './refused-copies/refused-copy-queries.ts'
export { campaignRoutes, campaignSchemas } from './routes.ts'
export { closesAt, windowState } from './schedule/schedule.ts'
export type { CampaignSchedule } from './schedule/schedule-schema.ts'
export { Campaign, CampaignChanges, type LeadCounts, plainDefaults } from './schema.ts'
export { failedTemplate, fullDays } from './sending-status/sending-facts.ts'
export { isFull } from './sending-status/sending-status.ts'
export { type HeldSteps, holdSteps } from './sequence/campaign-steps.ts'
export {
  claimRescheduling,
  endRescheduling,
  type RescheduleClaim,
  rescheduleKind,
} from './sequence/rescheduling.ts'
export { variantProblems } from './sequence/sequence.ts'
export type { CampaignSequence } from './sequence/sequence-schema.ts'
export {
  afterDelay,
  delayedMs,
  nextStep,
  type SequenceProgress,
  stepsBehind,
  zoneOf,
} from './sequence/step-timing.ts'
export { pauseCampaign, reopenCampaigns } from './service-transitions.ts'
export { lineEnd, markup } from './templates/liquid.ts'
export {
  nameOfVariable,
  type ParsedTemplate,
  parseTemplate,
  placesUnsubscribeUrl,
  renderTemplate,
  TemplateError,
  type TemplateLead,
  templateVariables,
} from './templates/template.ts'
export { withUnsavedChanges } from './unsaved-changes.ts'
export { addSender } from './update-campaign.ts'
