import { idOf, oneOf, type Search, textOf } from '../../lib/search.ts'
import { type LeadFilter, leadsSearchOf } from '../leads/index.ts'

// What of the pages of campaigns stands in their addresses.

export const statuses = ['draft', 'active', 'paused', 'completed'] as const

export interface CampaignFilter {
  status?: (typeof statuses)[number] | undefined
  search?: string | undefined
  panel?: 'new' | undefined
}

export function campaignsSearchOf({ status, search, panel }: Search): CampaignFilter {
  return {
    status: oneOf(statuses, status),
    search: textOf(search, 255),
    panel: oneOf(['new'], panel),
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

/** Over how many days results are counted. */
export const periods = [7, 30, 90, 365] as const

/** How a mail is looked at, besides as HTML. */
export const mailViews = ['text', 'headers'] as const

/** With the filters of the campaign's leads. */
export interface CampaignSearch extends Omit<LeadFilter, 'campaign'> {
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
  /** One of the periods. */
  days?: number | undefined
  panel?: 'launch' | 'test' | undefined
}

export function campaignSearchOf(search: Search): CampaignSearch {
  const { campaign: _, columns: __, ...filter } = leadsSearchOf(search)
  return {
    ...filter,
    tab: oneOf(tabs, search.tab),
    step: wholeOf(search.step, 50),
    variant: wholeOf(search.variant, 26),
    lead: idOf(search.lead),
    view: oneOf(mailViews, search.view),
    schedule: wholeOf(search.schedule, 10),
    state: oneOf(sendStates, search.state),
    days: oneOf(periods, search.days),
    panel: oneOf(['launch', 'test'], search.panel),
  }
}

const wholeOf = (value: unknown, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= most
    ? value
    : undefined

/** Where on the page the part of the record is that a JSON pointer names. */
export function searchOfProblem(path: string): CampaignSearch {
  const parts = path.split('/')
  if (parts[1] === 'sequences') {
    const [step, variant] = [parts[4], parts[6]]
    return {
      tab: 'steps',
      ...(step === undefined ? {} : { step: Number(step) + 1 }),
      ...(variant === undefined ? {} : { variant: Number(variant) + 1 }),
    }
  }
  if (parts[1] === 'campaign_schedule') {
    const schedule = parts[2] === 'schedules' ? parts[3] : undefined
    return {
      tab: 'schedule',
      ...(schedule === undefined ? {} : { schedule: Number(schedule) + 1 }),
    }
  }
  return { tab: 'options' }
}
