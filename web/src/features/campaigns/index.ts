export { useFirstDraft } from './first-draft.ts'
export { DecideUncertain } from './mails/DecideUncertain.tsx'
export { campaignSearchOf, campaignsSearchOf } from './search.ts'
