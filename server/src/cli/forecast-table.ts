import type { CampaignForecast } from '../features/sending/index.ts'
import { type Cell, formatTable } from './terminal.ts'

/** What comes out in the end, then day by day. */
export function showForecast(forecast: CampaignForecast): string {
  const lines = [summaryOf(forecast), ...remarksOf(forecast)]
  return forecast.days.length === 0
    ? lines.join('\n')
    : `${lines.join('\n')}\n\n${tableOf(forecast)}`
}

function summaryOf({ campaign, sends, days, ends, unsent, timezone }: CampaignForecast): string {
  const { name } = campaign
  if (sends === 0) return `${name} has nothing to send.`
  return `${name}: ${count(sends, 'mail')} until ${days.at(-1)?.date} (${timezone})${endings[ends](unsent)}`
}

const endings: Record<CampaignForecast['ends'], (unsent: number) => string> = {
  all_sent: () => ', then all are sent.',
  schedule_ended: (unsent) =>
    `, when its schedule ends; ${count(unsent, 'mail')} would not be sent.`,
  days_max: (unsent) => `, and ${count(unsent, 'mail')} after that.`,
}

function remarksOf({ campaign, held, mailboxes }: CampaignForecast): string[] {
  const isOut = ({ status }: (typeof mailboxes)[number]) => status !== 'connected'
  const shared = mailboxes.filter(({ shared_with }) => shared_with > 0)
  return [
    ...(campaign.status === 'active'
      ? []
      : [`Its status is ${campaign.status}: this is what it would send if it were active now.`]),
    ...held.map(({ reason, leads }) => `No mail to ${count(leads, 'lead')}: ${reasons[reason]}.`),
    ...mailboxes.filter(isOut).map(({ address, status }) => `Nothing from ${address}: ${status}.`),
    ...(shared.length === 0
      ? []
      : [`It may take longer: other active campaigns send from ${listOf(shared)} as well.`]),
  ]
}

const reasons: Record<CampaignForecast['held'][number]['reason'], string> = {
  suppressed: 'the address, or its domain, is on the suppression list',
  lead_paused: 'paused',
  no_step_left: 'every step was sent',
  no_enabled_variant: 'every variant of the next step is disabled',
  mailboxes_unhealthy: 'no mailbox of the campaign is connected',
  mailbox_unavailable: 'the mailbox of the thread is not connected or not in email_list',
  expired: 'the next mail is overdue for longer than the campaign allows',
}

const listedMax = 3
const listOf = (mailboxes: { address: string }[]) =>
  mailboxes.length <= listedMax
    ? mailboxes.map(({ address }) => address).join(', ')
    : `${mailboxes.length} of its mailboxes`

/** More mailboxes than this do not fit beside each other. */
const columnsMax = 5

/** Days on which nothing is sent, and for one reason, are a line together. */
function tableOf({ days, mailboxes }: CampaignForecast): string {
  const sending = mailboxes.filter(({ id }) =>
    days.some((day) => day.mailboxes.some(({ mailbox_id }) => mailbox_id === id)),
  )
  const columns = sending.length <= columnsMax ? sending : []
  const rows: Cell[][] = []
  let first = ''
  for (const [index, day] of days.entries()) {
    const before = days[index - 1]
    const isIdle = day.sends === 0
    const goesOn = isIdle && before?.sends === 0 && before.limited_by === day.limited_by
    if (goesOn) rows.pop()
    else first = day.date
    rows.push([
      first === day.date ? day.date : `${first} to ${day.date}`,
      isIdle ? '' : day.sends,
      isIdle ? '' : day.new_leads,
      isIdle ? '' : day.sends - day.new_leads,
      ...columns.map(({ id }) => day.mailboxes.find(({ mailbox_id }) => mailbox_id === id)?.sends),
      day.limited_by ? limits[day.limited_by] : 'all is sent',
    ])
  }
  const headings = ['day', 'mails', 'first mails', 'follow-ups']
  return formatTable([...headings, ...columns.map(({ address }) => address), 'limited by'], rows)
}

type DayLimit = NonNullable<CampaignForecast['days'][number]['limited_by']>

const limits: Record<DayLimit, string> = {
  campaign_daily_limit: 'daily limit of the campaign',
  new_lead_limit: 'first mails a day (daily_max_leads)',
  mailbox_daily_limits: 'daily limits of the mailboxes',
  mailbox_busy: 'gaps between mails fill the window',
  waiting_for_step_delay: 'nothing more is due',
  outside_schedule: 'no window',
}

const count = (number: number, noun: string) =>
  `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`
