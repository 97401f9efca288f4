export { webhookSearchOf } from './search.ts'
