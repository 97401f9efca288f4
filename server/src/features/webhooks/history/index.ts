export { webhookEventRoutes } from './routes.ts'
export { webhookEventSchemas } from './schema.ts'
export { sentRequestRoutes, sentRequestSchemas } from './sent-request-routes.ts'
