export { type Preview, previewStep } from './preview.ts'
