export { auditSearchOf } from './search.ts'
export { useActorName } from './useActorName.ts'
