export { countReturnedBounces } from './bounce-protection.ts'
export { countSetAside, countWaitingLeads } from './cross-workspace.ts'
export { confirmRestore, findSendingHold, holdSending, previewRestore } from './holds.ts'
export { messageIdOf } from './message-id.ts'
export { type CampaignForecast, forecastCampaign } from './plan/forecast-campaign.ts'
export { variantOf } from './plan/plan.ts'
export { type SendingRunner, startSendingRunner } from './runner.ts'
export {
  confirmArrived,
  listSends,
  listUncertain,
  markArrived,
  type ShownSend,
  sendAgain,
} from './sends.ts'
export { threadOf } from './thread.ts'
export { fileWitness, type Witness } from './witness.ts'
