export { webhookHealthRoutes } from './routes.ts'
export { webhookHealthSchemas } from './schema.ts'
