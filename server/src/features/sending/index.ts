export { type SendingRunner, type SendingRunnerOptions, startSendingRunner } from './runner.ts'
