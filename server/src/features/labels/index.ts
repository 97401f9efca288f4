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
  renameLabel,
} from './labels.ts'
