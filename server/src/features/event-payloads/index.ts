export { eventWebhooks } from './events.ts'
export { eventPayloadSchemas } from './schema.ts'
