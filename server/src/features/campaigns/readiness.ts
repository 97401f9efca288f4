import { AppError, type ErrorDetail } from '../../kernel/errors.ts'
import type { MailboxStatus } from '../mailboxes/index.ts'
import { isOver } from './schedule.ts'
import type { CampaignSchedule } from './schedule-schema.ts'
import { readinessProblems } from './sequence.ts'
import type { CampaignSequence } from './sequence-schema.ts'

interface Candidate {
  campaign_schedule: CampaignSchedule
  sequences: CampaignSequence[]
  /** Of the mailboxes that `email_list` names. */
  mailboxStatuses: MailboxStatus[]
}

/** Everything that keeps a campaign from starting, at once. */
export function refuseUnready(candidate: Candidate, now: Date): AppError | undefined {
  const problems = [
    ...readinessProblems(candidate.sequences),
    ...mailboxProblems(candidate.mailboxStatuses),
    ...(isOver(candidate.campaign_schedule, now) ? [scheduleOver] : []),
  ]
  if (problems.length === 0) return
  const message = `The campaign cannot start yet: ${problems.map((problem) => problem.message).join(' ')}`
  return new AppError('not_ready', message, { details: problems })
}

function mailboxProblems(statuses: MailboxStatus[]): ErrorDetail[] {
  if (statuses.includes('connected')) return []
  const message =
    statuses.length === 0
      ? 'email_list names no mailbox to send from.'
      : 'No mailbox of email_list is connected.'
  return [{ path: '/email_list', message }]
}

const scheduleOver: ErrorDetail = {
  path: '/campaign_schedule/end_date',
  message: 'The schedule is over: its end_date has passed.',
}
