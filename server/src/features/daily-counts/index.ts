export {
  addBounces,
  addToDays,
  type BouncedDay,
  type CountedCampaignDay,
  type CountedDay,
  type Day,
  forgiveBounces,
  lockCampaignDays,
  lockMailboxDays,
  utcDay,
} from './queries.ts'
