/** Every `new_status` that means the same in each workspace (contract §7). */
export const builtinStatuses = [
  'interested',
  'meeting_booked',
  'meeting_completed',
  'closed',
  'not_interested',
  'lost',
  'wrong_person',
  'no_show',
  'neutral',
  'none',
  'out_of_office',
  'completed',
  'unsubscribed',
  'paused',
  'active',
] as const

export type BuiltinStatus = (typeof builtinStatuses)[number]

/** What a lead's status says without anybody having set it. */
export const automaticStatuses = [
  'new',
  'contacted',
  'opened',
  'clicked',
  'replied',
  'bounced',
] as const

/** One text for every spelling of a status: case, spaces, `-` and `_` do not count, nor does `lead.`. */
export function foldStatus(text: string): string {
  const folded = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_-]+/g, '')
  return folded.startsWith('lead.') ? folded.slice('lead.'.length) : folded
}
