import { isDeepStrictEqual } from 'node:util'
import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { type ErrorDetail, invalidFields } from '../../kernel/errors.ts'
import { problemsWithSchedule } from './schedule/schedule.ts'
import type { CampaignSchedule } from './schedule/schedule-schema.ts'
import type { CampaignChanges } from './schema.ts'
import { problemsWithSequences, problemsWithSteps } from './sequence/sequence.ts'

/** What may be given in a request and needs more than its schema to be judged. */
type Settings = Pick<
  CampaignChanges,
  'campaign_schedule' | 'schedule' | 'sequences' | 'cc_list' | 'bcc_list'
>

/** Throws a 400 with every problem that can be told without the database. */
export async function checkSettings(ctx: Context, settings: Settings) {
  refuse(settings, await problemsWithSequences(ctx, settings.sequences ?? []))
}

/** As `checkSettings`, but for the texts of mails: one that is bad keeps no other from being looked at. */
export const checkUnsaved = (settings: Settings) =>
  refuse(settings, problemsWithSteps(settings.sequences ?? []))

function refuse(settings: Settings, ofSequences: ErrorDetail[]) {
  const problems = [
    ...scheduleProblems(settings),
    ...ofSequences,
    ...addressProblems('cc_list', settings.cc_list ?? []),
    ...addressProblems('bcc_list', settings.bcc_list ?? []),
  ]
  if (problems.length > 0) throw invalidFields(problems)
}

/** `schedule` is another name for `campaign_schedule`. */
export const scheduleOf = (settings: Settings) =>
  (settings.campaign_schedule ?? settings.schedule) as CampaignSchedule | undefined

function scheduleProblems(settings: Settings): ErrorDetail[] {
  const { campaign_schedule, schedule } = settings
  if (campaign_schedule && schedule && !isDeepStrictEqual(campaign_schedule, schedule)) {
    const message = 'schedule is another name for campaign_schedule; send one of them'
    return [{ path: '/schedule', message }]
  }
  const given = scheduleOf(settings)
  if (!given) return []
  const root = campaign_schedule ? '/campaign_schedule' : '/schedule'
  return problemsWithSchedule(given).map(({ path, message }) => ({
    path: `${root}${path}`,
    message,
  }))
}

const addressProblems = (field: string, addresses: string[]): ErrorDetail[] =>
  addresses.flatMap((address, index) =>
    parseEmail(address)
      ? []
      : [{ path: `/${field}/${index}`, message: `${field}.${index} must be an e-mail address` }],
  )
