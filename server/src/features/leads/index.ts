export { addLeads } from './add-leads.ts'
export { findLead } from './find-lead.ts'
export { leadRecord } from './record.ts'
export { leadRoutes, leadSchemas } from './routes.ts'
