export { ImportLeads } from './ImportLeads.tsx'
export { Leads } from './Leads.tsx'
export { type LeadFilter, leadsSearchOf } from './search.ts'
export { useCampaigns } from './useCampaigns.ts'
