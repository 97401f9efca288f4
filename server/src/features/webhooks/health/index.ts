export { listLaneHealth } from './queries.ts'
export { webhookHealthRoutes } from './routes.ts'
export { webhookHealthSchemas } from './schema.ts'
