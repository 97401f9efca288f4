import { AppError, type ErrorDetail } from '../../../kernel/errors.ts'
import { canCarryLinks } from '../../link-address/index.ts'
import { isOver, windowState } from '../schedule/schedule.ts'
import type { CampaignSchedule } from '../schedule/schedule-schema.ts'
import { readinessProblems } from '../sequence/sequence.ts'
import { type LinkedSettings, linkProblems } from './link-problems.ts'
import type { SenderMailbox } from './sender-mailboxes.ts'

interface Candidate extends LinkedSettings {
  campaign_schedule: CampaignSchedule
  /** The mailboxes that `email_list` names. */
  mailboxes: SenderMailbox[]
  /** Where links of mails lead. */
  linkUrl: string
}

/** Names everything that keeps a campaign from starting, at once. */
export function unreadyError(candidate: Candidate, now: Date): AppError | undefined {
  return refusal('The campaign cannot start yet:', [
    ...contentProblems(candidate),
    ...mailboxProblems(candidate.mailboxes),
    ...scheduleProblems(candidate.campaign_schedule, now),
  ])
}

/**
 * What a change would make of the contents of an active campaign that could not be started so. What it
 * does not touch stays as it is; mailboxes and days pass by themselves.
 */
export function breakingError(
  candidate: Omit<Candidate, 'campaign_schedule'>,
  changed: object,
): AppError | undefined {
  const problems = contentProblems(candidate).filter(
    ({ path }) => (path.split('/')[1] ?? '') in changed,
  )
  return refusal('Pause the campaign first; as it would be it could not be started:', problems)
}

function contentProblems({
  mailboxes,
  linkUrl,
  ...settings
}: Omit<Candidate, 'campaign_schedule'>) {
  const areLinksCarried = mailboxes.every((mailbox) => canCarryLinks(mailbox, linkUrl))
  return [
    ...readinessProblems(settings.sequences),
    ...(areLinksCarried ? [] : linkProblems(settings)),
  ]
}

function refusal(introduction: string, problems: ErrorDetail[]): AppError | undefined {
  if (problems.length === 0) return
  const message = `${introduction} ${problems.map((problem) => problem.message).join(' ')}`
  return new AppError('not_ready', message, { details: problems })
}

function mailboxProblems(mailboxes: SenderMailbox[]): ErrorDetail[] {
  if (mailboxes.some(({ status }) => status === 'connected')) return []
  const message =
    mailboxes.length === 0
      ? 'email_list names no mailbox to send from.'
      : 'No mailbox of email_list is connected.'
  return [{ path: '/email_list', message }]
}

function scheduleProblems(schedule: CampaignSchedule, now: Date): ErrorDetail[] {
  if (isOver(schedule, now)) return [scheduleOver]
  return windowState(schedule, now).nextOpen === null ? [neverOpens] : []
}

const neverOpens: ErrorDetail = {
  path: '/campaign_schedule',
  message: 'The schedule never opens again: look at its dates and days.',
}

const scheduleOver: ErrorDetail = {
  path: '/campaign_schedule/end_date',
  message: 'The schedule is over: its end_date has passed.',
}
