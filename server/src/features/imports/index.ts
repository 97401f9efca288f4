export {
  changeImport,
  checkImport,
  createImport,
  dropOldImports,
  getImport,
  importKind,
  putPart,
  startImport,
} from './imports.ts'
export { importRoutes, importSchemas } from './routes.ts'
export { ImportRunner } from './run.ts'
