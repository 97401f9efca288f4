export { handOver, previewHandOver } from './hand-over.ts'
export { handOverRoutes, handOverSchemas } from './routes.ts'
export type { HandOverResult } from './schema.ts'
