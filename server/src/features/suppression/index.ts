export {
  isErasedEntry,
  parseEntry,
  type SuppressionEntry,
  type SuppressionReason,
  shownEntry,
  suppressionReasons,
} from './entry.ts'
export {
  addSuppression,
  countSuppressions,
  exportSuppressions,
  liftSuppression,
  listSuppressions,
  removeSuppression,
  type SeenSuppression,
  showSuppression,
} from './list.ts'
export { suppressionRoutes } from './routes.ts'
export { Since, StillSuppressed, suppressionSchemas } from './schema.ts'
export {
  erasedEntry,
  explainSuppressed,
  findErased,
  findSuppressed,
  holdSuppressions,
  liftBounces,
  lockSuppressions,
  type NewSuppression,
  type Suppressed,
  suppress,
} from './suppression.ts'
