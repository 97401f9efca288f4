import type { Campaign } from '../../api/generated/types.gen.ts'
import { differing, type Edits, givenIds, idsOf, isEmpty, type Settings, withIds } from './edits.ts'
import { type Conflict, merge } from './merge.ts'

export interface EditedCampaign {
  base: Campaign
  edits: Edits
}

interface Rebased {
  /** As it was, but for what the server turns out to have taken. */
  before: EditedCampaign
  /** Upon the newer record; of what is in conflict they have what is theirs. */
  edits: Edits
  conflicts: Conflict[]
  /** The ids that the server gave to new steps and variants, by those they were made with. */
  given: Map<string, string>
}

/**
 * Puts edits upon a newer record.
 *
 * @param unanswered what was sent without an answer: the newer record may be what came of it
 */
export function rebase(
  mine: EditedCampaign,
  theirs: Campaign,
  unanswered: Iterable<Edits>,
): Rebased {
  const { given, ...before } = recognize(mine, theirs, unanswered)
  const conflicts: Conflict[] = []
  const merged = mergeEdits(before.base, before.edits, theirs, conflicts)
  const edits = conflicts.length > 0 ? merged : differing(merged, theirs)
  return { before, edits, conflicts, given }
}

/** What was taken of a save without an answer is nobody else's change, and new things have its ids. */
function recognize(
  { base, edits }: EditedCampaign,
  theirs: Campaign,
  unanswered: Iterable<Edits>,
): EditedCampaign & { given: Map<string, string> } {
  const had = new Set(idsOf(base))
  for (const sent of [...unanswered, edits]) {
    const given = givenIds(sent, base, theirs)
    const taken = withIds(sent, given)
    const conflicts: Conflict[] = []
    const merged = mergeEdits(base, taken, theirs, conflicts)
    const isTaken = conflicts.length === 0 && isEmpty(differing(merged, theirs))
    if (!isTaken || [...given.values()].some((id) => had.has(id))) continue
    return { base: { ...base, ...taken }, edits: withIds(edits, given), given }
  }
  return { base, edits, given: new Map() }
}

const mergeEdits = (base: Campaign, edits: Edits, theirs: Campaign, conflicts: Conflict[]): Edits =>
  Object.fromEntries(
    (Object.keys(edits) as (keyof Settings)[]).map((name) => [
      name,
      merge<unknown>(base[name], edits[name], theirs[name], conflicts, `/${name}`),
    ]),
  )
