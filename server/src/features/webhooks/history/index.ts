export { webhookEventRoutes } from './routes.ts'
export { webhookEventSchemas } from './schema.ts'
