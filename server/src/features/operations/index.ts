export { observeOperations, readBacklog } from './operations.ts'
