import { instantOf } from '../../../kernel/http/instant.ts'
import { parseUuid } from '../../../kernel/ids.ts'
import type { LeadFilters } from './list-schema.ts'

/** Which leads are looked at; all that are given must hold. */
export interface LeadFilter {
  campaignId: string | undefined
  labelId: string | undefined
  statuses: string[]
  sendingStates: string[]
  search: string | undefined
  addedFrom: Date | undefined
  addedTo: Date | undefined
  contactedFrom: Date | undefined
  contactedTo: Date | undefined
}

/** @throws AppError `invalid_field` with the name of a time that is none */
export function readFilter(query: LeadFilters): LeadFilter {
  const search = query.search?.trim()
  return {
    campaignId: query.campaign_id && parseUuid(query.campaign_id),
    labelId: query.label_id && parseUuid(query.label_id),
    statuses: partsOf(query.status),
    sendingStates: partsOf(query.sending_state),
    search: search === '' ? undefined : search,
    addedFrom: instantOf('added_from', query.added_from),
    addedTo: instantOf('added_to', query.added_to),
    contactedFrom: instantOf('contacted_from', query.contacted_from),
    contactedTo: instantOf('contacted_to', query.contacted_to),
  }
}

const partsOf = (text: string | undefined): string[] =>
  (text ?? '').split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))

/** Whether a filter names no leads but those of one campaign, or of all: their number is kept. */
export const isWhole = ({ campaignId: _, statuses, sendingStates, ...others }: LeadFilter) =>
  statuses.length === 0 &&
  sendingStates.length === 0 &&
  Object.values(others).every((value) => value === undefined)
