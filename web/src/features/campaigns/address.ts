import { type LeadFilter, leadSearchOf } from '../leads/index.ts'

// What of the pages of campaigns stands in their addresses.

export const statuses = ['draft', 'active', 'paused', 'completed'] as const

export interface CampaignFilter {
  status?: (typeof statuses)[number] | undefined
  search?: string | undefined
  panel?: 'new' | undefined
}

export function campaignFilterOf({
  status,
  search,
  panel,
}: Record<string, unknown>): CampaignFilter {
  return {
    status: statuses.find((each) => each === status),
    search:
      typeof search === 'string' && search !== '' ? search.slice(0, 255).toWellFormed() : undefined,
    panel: panel === 'new' ? panel : undefined,
  }
}

export const tabs = [
  'steps',
  'schedule',
  'options',
  'leads',
  'preview',
  'analytics',
  'mails',
] as const
export type Tab = (typeof tabs)[number]

export const sendStates = ['claimed', 'transmitting', 'sent', 'failed', 'uncertain'] as const

/** How a mail is looked at, besides as HTML. */
export const mailViews = ['text', 'headers'] as const

/** With the filters of the campaign's leads. */
export interface CampaignPlace extends Omit<LeadFilter, 'campaign'> {
  tab?: Tab | undefined
  /** Both from 1. */
  step?: number | undefined
  variant?: number | undefined
  /** Whose mail is looked at, or whose panel is open. */
  lead?: string | undefined
  /** How the mail is looked at; as HTML when the address says nothing. */
  view?: (typeof mailViews)[number] | undefined
  /** Which weekly schedule is looked at, from 1. */
  schedule?: number | undefined
  /** Of the mails that are listed. */
  state?: (typeof sendStates)[number] | undefined
  /** How many days are looked at. */
  days?: number | undefined
  panel?: 'launch' | 'test' | undefined
}

const isPanel = (panel: unknown) => panel === 'launch' || panel === 'test'

export function campaignPlaceOf(search: Record<string, unknown>): CampaignPlace {
  const { lead, panel } = search
  const { campaign: _, columns: __, ...filter } = leadSearchOf(search)
  return {
    ...filter,
    tab: tabs.find((each) => each === search.tab),
    step: wholeOf(search.step, 50),
    variant: wholeOf(search.variant, 26),
    lead: typeof lead === 'string' && /^[\da-f-]{36}$/i.test(lead) ? lead : undefined,
    view: mailViews.find((each) => each === search.view),
    schedule: wholeOf(search.schedule, 10),
    state: sendStates.find((each) => each === search.state),
    days: wholeOf(search.days, 400),
    panel: isPanel(panel) ? panel : undefined,
  }
}

const wholeOf = (value: unknown, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
    ? value
    : undefined
