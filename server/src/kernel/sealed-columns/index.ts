export { countSealed } from './cross-workspace.ts'
export { findUnreadable, type Resealed, resealAll } from './reseal.ts'
export type { SealedColumn, SealedCount } from './sealed-column.ts'
