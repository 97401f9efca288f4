export { type HandOver, handOver, previewHandOver } from './hand-over.ts'
export { handOverRoutes, handOverSchemas } from './routes.ts'
