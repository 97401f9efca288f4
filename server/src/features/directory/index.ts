export { type ExportResult, exportFile } from './export.ts'
export type { DirectoryKind, ExportFormat } from './export-queries.ts'
export { countFacets, type Facets } from './facets.ts'
export { addressKey } from './identity.ts'
export { type ColumnMap, fieldNames, parseColumnMap } from './import/columns.ts'
export { type ImportProgress, type ImportResult, importFile } from './import/import.ts'
export { isReindexDue } from './import/queries.ts'
export {
  copyOptOuts,
  findMeant,
  noteOptOut,
  type OptedOut,
  type OptOutRequest,
  optOut,
  readOptOut,
} from './opt-out.ts'
export { findOptedOut, findOptedOutContacts } from './opted-out.ts'
export {
  type DirectoryContact,
  findCompany,
  findContacts,
  isKnownAddress,
  type KnownAddress,
} from './queries.ts'
export { reindexDirectory } from './reindex.ts'
export { loadSample, removeSample, type Sample } from './sample.ts'
export { directoryFilters, type ShownContact, shownFields } from './schema.ts'
export { listKnownAddresses, searchDirectory } from './search.ts'
export { type DirectoryStats, readStats } from './stats-queries.ts'
