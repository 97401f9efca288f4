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
  exportSuppressions,
  liftSuppression,
  removeSuppression,
  type SeenSuppression,
  type SuppressionSummary,
  showSuppression,
  summariseSuppressions,
} from './list.ts'
export { suppressionRoutes } from './routes.ts'
export { Since, StillSuppressed, suppressionSchemas } from './schema.ts'
export {
  blockAgain,
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
