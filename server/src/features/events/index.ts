export type { NewEvent } from './body.ts'
export { emit, storeEvents } from './emit.ts'
