export { savedViewRoutes, savedViewSchemas } from './routes.ts'
