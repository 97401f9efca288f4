export {
  disableDestination,
  findDestination,
  findDestinations,
  findSubscribers,
  openDestination,
} from './destinations.ts'
export { allEvents, type EventType, standardEventTypes } from './event-types.ts'
export type { Destination } from './queries.ts'
export { webhookRoutes } from './routes.ts'
export { webhookSchemas } from './schema.ts'
export { sealedWebhookColumns } from './sealed.ts'
