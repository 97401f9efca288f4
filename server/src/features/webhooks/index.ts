export {
  disableDestination,
  findDestination,
  findSubscribers,
  lockAddress,
  type OpenDestination,
  openDestination,
} from './destinations.ts'
export { allEvents, findLabelOfType } from './event-types.ts'
export { type Destination, findDestinations, mayReceive, nextVersion } from './queries.ts'
export { webhookRoutes } from './routes.ts'
export { runHash, runHashOfAttempt } from './run-hash.ts'
export { webhookSchemas } from './schema.ts'
export { sealedWebhookColumns } from './sealed.ts'
export { dropUnusedUrls, listWebhooks } from './webhooks.ts'
