export { undoRoutes, undoSchemas } from './routes.ts'
export { type UndoneSuppression, undoSuppression } from './undo.ts'
