export { type HandOver, handOver, previewHandOver } from './hand-over.ts'
