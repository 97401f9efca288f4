export {
  acquisitionApplicationRoutes,
  acquisitionApplicationSchemas,
} from './application-routes.ts'
export type { AddedContacts, CreditEntry } from './application-schema.ts'
export { grantMonthlyCredits } from './balance.ts'
export { addAcquiredToCampaign } from './campaign-leads.ts'
export {
  getBalance,
  grantCredits,
  listCreditEntries,
  refundContact,
} from './credits.ts'
export { type OptedOutEverywhere, optOutEverywhere } from './opt-out.ts'
export { acquisitionRoutes, acquisitionSchemas } from './routes.ts'
