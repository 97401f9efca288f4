export {
  type EventContent,
  type EventType,
  eventCatalogue,
  sampleContent,
  standardEventTypes,
} from './catalogue.ts'
export { eventPayloadSchemas } from './payload-schemas.ts'
