export { usageRoutes, usageSchemas } from './routes.ts'
