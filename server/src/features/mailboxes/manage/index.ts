export { sumMailboxUse } from './managed-mailboxes.ts'
export { mailboxRoutes } from './routes.ts'
export { mailboxSchemas } from './schema.ts'
