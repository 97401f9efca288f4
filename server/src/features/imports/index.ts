export {
  changeImport,
  checkImport,
  createImport,
  dropOldImports,
  getImport,
  putPart,
  startImport,
} from './imports.ts'
export { importRoutes, importSchemas } from './routes.ts'
export { ImportRunner } from './run.ts'
