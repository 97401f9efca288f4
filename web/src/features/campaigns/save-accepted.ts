import type { Fault } from '../../api/fault.ts'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { type Edits, isEmpty } from './edits.ts'
import { isEqual } from './merge.ts'

interface SaveResult {
  taken: { sent: Edits; saved: Campaign } | undefined
  /** One that says all that was refused. */
  fault: Fault | undefined
  /** As the last refusal says. */
  retryAfterMs: number | undefined
  /** Somebody else has saved meanwhile. */
  isOutdated: boolean
  /** What was sent without an answer: the server may have taken it. */
  unanswered: Edits[]
}

/** A part that the server refuses holds up none of the others: they are sent without it. */
export async function saveAccepted(
  edits: Edits,
  send: (edits: Edits) => Promise<Campaign>,
): Promise<SaveResult> {
  let sent = edits
  let taken: SaveResult['taken']
  let isOutdated = false
  const faults: Fault[] = []
  const unanswered: Edits[] = []
  while (!isEmpty(sent)) {
    try {
      taken = { sent, saved: await send(sent) }
      break
    } catch (thrown) {
      const fault = thrown as Fault
      isOutdated = fault.code === 'version_conflict'
      if (isOutdated) break
      if (fault.code === 'unreachable' || fault.statusCode >= 500) unanswered.push(sent)
      faults.push(fault)
      const rest = withoutRefused(sent, fault)
      if (isEqual(rest, sent)) break
      sent = rest
    }
  }
  const [first, ...others] = faults
  return {
    taken,
    fault: first && others.reduce(joined, first),
    retryAfterMs: faults.at(-1)?.retryAfterMs,
    ...{ isOutdated, unanswered },
  }
}

const withoutRefused = (edits: Edits, { details }: Fault): Edits => {
  const refused = new Set(details?.map(({ path }) => path.split('/')[1]))
  return Object.fromEntries(Object.entries(edits).filter(([name]) => !refused.has(name)))
}

/** As one refusal that says all that each of them says. */
const joined = (one: Fault, other: Fault): Fault => ({
  ...one,
  details: [one, other].flatMap(({ message, details }) => details ?? [{ path: '', message }]),
})

/** Everything that a refusal says; its message is the first of it. */
export const sentencesOf = ({ message, details }: Fault): string[] => [
  ...new Set([message, ...(details ?? []).map((detail) => detail.message)]),
]
