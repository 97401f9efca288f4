export { countReturnedBounces } from './bounce-protection.ts'
export { countSetAside, countWaitingLeads } from './cross-workspace.ts'
export { type CampaignForecast, forecastCampaign } from './forecast/forecast-campaign.ts'
export { messageIdOf } from './message-id.ts'
export { mailboxLimit, variantOf } from './planning/plan.ts'
export { setProviderIds } from './provider-id-queries.ts'
export { findReplyRefusal, inProgress, isOpen, sendReply } from './replies.ts'
export { composeReplyMail } from './reply-mail.ts'
export { findReply, listUnsentReplies, type ReplyContent, type ReplyRow } from './reply-queries.ts'
export { markerFile, type RestoreMarker } from './restore-guard/marker-file.ts'
export { sendingHoldRoutes, sendingHoldSchemas } from './restore-guard/routes.ts'
export {
  confirmRestore,
  findSendingHold,
  holdSending,
  previewRestore,
} from './restore-guard/sending-hold.ts'
export { sendingRoutes, sendingSchemas } from './routes.ts'
export { type SendingRunner, type SendingRunnerOptions, startSendingRunner } from './runner.ts'
export {
  confirmArrived,
  listSends,
  listUncertain,
  markArrived,
  type ShownSend,
  sendAgain,
} from './sends.ts'
export { threadOf } from './thread.ts'
