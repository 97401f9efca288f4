export { messageIdOf } from './message-id.ts'
export { variantOf } from './plan/plan.ts'
export { type SendingRunner, type SendingRunnerOptions, startSendingRunner } from './runner.ts'
export { threadOf } from './thread.ts'
