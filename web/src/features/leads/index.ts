export { ImportLeads } from './ImportLeads.tsx'
export { Leads } from './Leads.tsx'
export { type LeadFilter, leadSearchOf } from './lead-filter.ts'
export { useCampaigns } from './useCampaigns.ts'
