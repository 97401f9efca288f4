import { nowMs } from '../../lib/clock.ts'
import { longest } from '../../lib/longest.ts'
import { oneOf, type Search, textOf } from '../../lib/search.ts'

/** What is looked at, as it stands in the address; lists are parted by commas. */
export interface LeadFilter {
  q?: string | undefined
  campaign?: string | undefined
  status?: string | undefined
  sending?: string | undefined
  label?: string | undefined
  /** Added within so many days. */
  added?: (typeof dayRanges)[number] | undefined
  contacted?: (typeof dayRanges)[number] | undefined
}

export interface LeadSearch extends LeadFilter {
  /** Columns that are shown, by their ids; undefined: the usual ones, empty: none but the address. */
  columns?: string | undefined
  /** Whose panel is open. */
  lead?: string | undefined
}

export const dayRanges = ['1', '7', '30', '90'] as const

export const sendingStates = [
  'pending',
  'active',
  'paused',
  'held_back',
  'finished',
  'stopped',
] as const

export function leadsSearchOf(search: Search): LeadSearch {
  const text = (name: string) => {
    const value = search[name]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const days = (name: string) => oneOf(dayRanges, String(search[name]))
  return {
    ...{ q: textOf(search.q, longest.search), campaign: text('campaign'), status: text('status') },
    ...{ sending: text('sending'), label: text('label') },
    columns: typeof search.columns === 'string' ? search.columns : undefined,
    ...{ added: days('added'), contacted: days('contacted'), lead: text('lead') },
  }
}

/** Without what is open or how it is shown. */
export const filterOf = ({ columns: _, lead: __, ...filter }: LeadSearch): LeadFilter => filter

export const isFiltered = (filter: LeadFilter) =>
  Object.values(filter).some((value) => value !== undefined)

/**
 * As the server takes it. Days are whole ones, so that asking again asks for the same list.
 *
 * @param campaignId where the campaign is no filter but the place that one is at
 */
export function leadQueryOf(filter: LeadFilter, campaignId = filter.campaign) {
  const { q, campaign: _, status, sending, label, ...since } = filter
  const { added, contacted } = since
  return {
    ...(q ? { search: q } : {}),
    ...(campaignId ? { campaign_id: campaignId } : {}),
    ...(status ? { status } : {}),
    ...(sending ? { sending_state: sending } : {}),
    ...(label ? { label_id: label } : {}),
    ...(added ? { added_from: daysAgo(Number(added)) } : {}),
    ...(contacted ? { contacted_from: daysAgo(Number(contacted)) } : {}),
  }
}

function daysAgo(days: number): string {
  const day = new Date(nowMs())
  day.setHours(0, 0, 0, 0)
  day.setDate(day.getDate() - days + 1)
  return day.toISOString()
}
