export {
  findSuppressed,
  holdSuppressions,
  lockSuppressions,
  type NewSuppression,
  type SuppressionReason,
  suppress,
} from './suppression.ts'
