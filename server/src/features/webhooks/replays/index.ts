export { webhookReplayRoutes, webhookReplaySchemas } from './routes.ts'
