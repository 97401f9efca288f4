export { type Preview, previewStep } from './preview.ts'
export { previewRoutes, previewSchemas } from './routes.ts'
export { whyMailboxWaits } from './why-mailbox-waits.ts'
