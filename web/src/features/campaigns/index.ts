export { campaignFilterOf, campaignPlaceOf } from './address.ts'
