export { webhookReplayRoutes, webhookReplaySchemas } from './routes.ts'
export { type Selection, startReplay } from './start-replay.ts'
