export {
  type BuiltinStatus,
  builtinStatuses,
  foldStatus,
} from './builtin-statuses.ts'
export { archiveLabel, createLabel, updateLabel } from './labels.ts'
export { findLabelById, listLabels } from './queries.ts'
export {
  type Label,
  type LabelEffect,
  type LabelSentiment,
  labelEffects,
  labelSentiments,
} from './record.ts'
export { labelRoutes, labelSchemas } from './routes.ts'
