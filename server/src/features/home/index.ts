export { homeRoutes, homeSchemas } from './routes.ts'
