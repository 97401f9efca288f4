export { consentRoutes } from './routes.ts'
export { consentSchemas } from './schema.ts'
