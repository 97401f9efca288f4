export { replayMax } from './replay-max.ts'
export { webhookSearchOf } from './search.ts'
