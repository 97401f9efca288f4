import type { TFunction } from 'i18next'
import type { ListedLead } from '../../api/generated/types.gen.ts'
import { fullName } from '../../lib/text.ts'
import type { Column } from '../../ui/DataTable/column.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { LeadStatus } from '../labels/index.ts'
import { NextMail } from './NextMail.tsx'

export const columnIds = [
  ...(['name', 'company', 'title', 'campaign', 'status', 'sending', 'step', 'opens'] as const),
  ...(['clicks', 'replies', 'contacted', 'next', 'added'] as const),
]
export type ColumnId = (typeof columnIds)[number]

const usual: ColumnId[] = ['name', 'company', 'campaign', 'status', 'sending', 'step', 'contacted']

/** In the order of the table, whatever that of the address. */
export function chosenColumns(text: string | undefined): ColumnId[] {
  const wanted = text?.split(',') ?? usual
  return columnIds.filter((id) => wanted.includes(id))
}

/**
 * A suppressed lead is stopped once its next mail is due: until then nothing but the list of suppressions says
 * so. Whom a person has paused has no reason, and goes on being called paused.
 */
function sendingOf({ is_suppressed, sending_state, skip_reason }: ListedLead) {
  if (sending_state === 'paused') return skip_reason === null ? 'paused' : 'held_back'
  const goesOn = sending_state === 'pending' || sending_state === 'active'
  return is_suppressed && goesOn ? 'suppressed' : sending_state
}

type Cell = Omit<Column<ListedLead>, 'id' | 'header'>

/** The address first, which every lead has; then those that were chosen. */
export function leadColumns(
  t: TFunction,
  chosen: ColumnId[],
  campaignNames: ReadonlyMap<string, string>,
  idleCampaigns: ReadonlySet<string>,
): Column<ListedLead>[] {
  const moment = (at: string | null) => (at ? <RelativeTime at={at} /> : '–')
  const cells: Record<ColumnId, Cell> = {
    name: { width: 6.5, grow: 2, isWideOnly: true, cell: fullName },
    company: { width: 6.5, grow: 2, isWideOnly: true, cell: ({ company_name }) => company_name },
    title: { width: 7, grow: 2, isWideOnly: true, cell: ({ job_title }) => job_title },
    campaign: {
      ...{ width: 7, grow: 2, isWideOnly: true },
      cell: ({ campaign_id }) => campaignNames.get(campaign_id),
    },
    status: { width: 7.5, cell: ({ status }) => <LeadStatus status={status} /> },
    sending: {
      ...{ width: 5.5, isWideOnly: true },
      cell: (lead) => t(($) => $.leads.sending[sendingOf(lead)]),
    },
    step: { ...number, cell: ({ current_step }) => current_step || '–' },
    opens: { ...number, cell: ({ email_open_count }) => email_open_count || '–' },
    clicks: { ...number, cell: ({ email_click_count }) => email_click_count || '–' },
    replies: { ...number, cell: ({ email_reply_count }) => email_reply_count || '–' },
    contacted: { ...time, cell: ({ timestamp_last_contact }) => moment(timestamp_last_contact) },
    next: {
      ...time,
      cell: ({ timestamp_next_send: at, campaign_id, is_suppressed }) =>
        at && !is_suppressed && !idleCampaigns.has(campaign_id) ? <NextMail at={at} /> : '–',
    },
    added: { ...time, cell: ({ timestamp_created }) => moment(timestamp_created) },
  }
  const address: Column<ListedLead> = {
    ...{ id: 'email', header: t(($) => $.leads.columns.email), width: 10, grow: 4 },
    cell: ({ email }) => <span title={email}>{email}</span>,
  }
  const others = chosen.map((id) => ({ id, header: t(($) => $.leads.columns[id]), ...cells[id] }))
  return [address, ...others]
}

const number = { width: 3, isNumber: true, isWideOnly: true }
const time = { width: 5.5, isNumber: true, isWideOnly: true }
