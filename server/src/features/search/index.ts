export { searchRoutes, searchSchemas } from './routes.ts'
