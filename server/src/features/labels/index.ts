export {
  type BuiltinStatus,
  builtinStatuses,
  foldStatus,
} from './builtin-statuses.ts'
export {
  archiveLabel,
  createLabel,
  findLabelById,
  type Label,
  type LabelEffect,
  type LabelSentiment,
  listLabels,
  updateLabel,
} from './labels.ts'
export { labelRoutes, labelSchemas } from './routes.ts'
