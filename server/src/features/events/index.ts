export { emit, storeEvents } from './events.ts'
export type { NewEvent } from './payload.ts'
