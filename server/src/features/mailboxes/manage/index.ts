export { mailboxRoutes } from './routes.ts'
export { mailboxSchemas } from './schema.ts'
