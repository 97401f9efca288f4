export { messagesTable } from './partitions.ts'
