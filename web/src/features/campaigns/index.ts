export { campaignFilterOf, campaignPlaceOf } from './address.ts'
export { useFirstDraft } from './first-draft.ts'
export { DecideUncertain } from './mails/DecideUncertain.tsx'
