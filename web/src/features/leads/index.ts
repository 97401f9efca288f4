export { ImportLeads } from './ImportLeads.tsx'
export { leadSearchOf } from './lead-filter.ts'
export { useCampaigns } from './useCampaigns.ts'
