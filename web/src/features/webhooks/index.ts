export { webhookSearchOf } from './webhook-search.ts'
