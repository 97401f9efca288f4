export { resultOf } from './assess.ts'
export { observeBacklog, pendingMax, readBacklog, readFailing } from './backlog.ts'
export { countBacklogFull } from './cross-workspace.ts'
export { type Attempt, attemptOf, clockLagMs } from './delivery.ts'
export { enqueueDeliveries, leaseKind } from './enqueue.ts'
export { countPending, listLaneHealth } from './lane-queries.ts'
export { countSuccesses, observeAttempt } from './observe.ts'
export { chooseCountStripe, recordAttempts } from './record.ts'
export {
  countReplay,
  type ReplayedDelivery,
  type ReplayWindow,
  replayDelivery,
  replayEvents,
  waitForUnderWay,
} from './replay.ts'
export { copyReplayedWeeks, dropOldPartitions } from './retention.ts'
export { type DeliveryRunner, type DeliveryRunnerOptions, startDeliveryRunner } from './runner.ts'
export { fixedHeaders, send } from './send.ts'
export { signatureHeaders } from './signature.ts'
