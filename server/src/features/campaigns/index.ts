export { campaignPageRoutes, campaignPageSchemas } from './application-routes.ts'
export { type CampaignSteps, type HeldSteps, holdSteps } from './campaign-steps.ts'
export { getCampaign, listCampaigns, listWatchedCampaigns } from './campaigns.ts'
export { countWithoutUnsubscribing, findFollowing } from './cross-workspace.ts'
export { deleteDraft } from './delete-campaign.ts'
export { applyDraft } from './draft.ts'
export { claimFollowing, endFollowing, type FollowClaim, followKind } from './follow-steps.ts'
export { addLeadCounts } from './lead-counts.ts'
export { lineEnd, markup } from './liquid.ts'
export { pauseCampaign } from './pause-campaign.ts'
export type { LeadCounts } from './queries.ts'
export { type RefusedCopy, recordRefusedCopies } from './refused-copies.ts'
export { listRefusedCopies } from './refused-copy-queries.ts'
export { campaignRoutes, campaignSchemas } from './routes.ts'
export { closesAt, windowState } from './schedule.ts'
export type { CampaignSchedule } from './schedule-schema.ts'
export { Campaign, CampaignChanges, plainDefaults } from './schema.ts'
export type { CampaignSequence } from './sequence-schema.ts'
export { afterDelay, nextStep, type SequenceProgress, unitMs, zoneOf } from './step-timing.ts'
export {
  type ParsedTemplate,
  parseTemplate,
  placesUnsubscribeUrl,
  renderTemplate,
  TemplateError,
  type TemplateLead,
  templateVariables,
} from './template.ts'
export { addSender } from './update-campaign.ts'
