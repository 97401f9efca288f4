export { type Preview, previewStep } from './preview.ts'
export { previewRoutes, previewSchemas } from './routes.ts'
export { whyMailboxWaits, whyNotSent } from './why-not-sent.ts'
