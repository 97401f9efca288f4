export { webhookTestRoutes, webhookTestSchemas } from './routes.ts'
