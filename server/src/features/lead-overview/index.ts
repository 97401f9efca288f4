export { leadOverviewRoutes, leadOverviewSchemas } from './routes.ts'
