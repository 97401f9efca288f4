export {
  addBounces,
  addToDays,
  type BouncedDay,
  type CountedCampaignDay,
  type CountedDay,
  type Day,
  forgiveBounces,
  isAboutToday,
  lockCampaignDays,
  lockMailboxDays,
} from './queries.ts'
export {
  listStepDays,
  sumCampaigns,
  sumDays,
} from './step-day-queries.ts'
export {
  type StepCount,
  type StepMail,
  type StepOutcome,
  type StepPlace,
  stepDaysCounted,
  stepOutcomes,
} from './step-days.ts'
