export { type ImportedSuppressions, importSuppressions } from './import.ts'
export { suppressionImportRoutes, suppressionImportSchemas } from './routes.ts'
