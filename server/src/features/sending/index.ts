export {
  countSetAside,
  countWaitingLeads,
  listMissingMails,
  type MissingMail,
} from './cross-workspace.ts'
export { type CampaignForecast, forecastCampaign } from './forecast/forecast-campaign.ts'
export { mailboxLimit, variantOf } from './planning/plan.ts'
export {
  findReplyRefusal,
  forgetDroppedReplies,
  getReplyMailbox,
  inProgress,
  isOpen,
  sendReply,
} from './replies/replies.ts'
export { composeReplyMail } from './replies/reply-mail.ts'
export {
  findReply,
  listUnsentReplies,
  type ReplyContent,
  type ReplyRow,
} from './replies/reply-queries.ts'
export { confirmHeld, type HeldShard, holdAll, listHeld } from './restore-guard/hold-all-shards.ts'
export { type LastSeenFile, markerFile } from './restore-guard/marker-file.ts'
export { sendingHoldRoutes, sendingHoldSchemas } from './restore-guard/routes.ts'
export {
  confirmRestore,
  findSendingHold,
  holdSending,
  mayNotSend,
  previewRestore,
  refuseWhileHeld,
  type SendingHold,
} from './restore-guard/sending-hold.ts'
export { sendingRoutes, sendingSchemas } from './routes.ts'
export { type SendingRunner, type SendingRunnerOptions, startSendingRunner } from './runner.ts'
export { listSends } from './sends.ts'
export type { ShownSend } from './sends-queries.ts'
export { countReturnedBounces } from './settle/bounce-protection.ts'
export { messageIdOf } from './transmit/message-id.ts'
export { setProviderIds } from './transmit/provider-id-queries.ts'
export { threadOf } from './transmit/thread.ts'
export { confirmArrived, listUncertain, markArrived, sendAgain } from './uncertain/decide.ts'
