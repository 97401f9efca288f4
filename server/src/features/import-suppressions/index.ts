export { importSuppressions } from './import.ts'
export { suppressionImportRoutes, suppressionImportSchemas } from './routes.ts'
export type { ImportedSuppressions } from './schema.ts'
