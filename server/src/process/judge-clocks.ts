import type { ProcessContext } from '../kernel/context.ts'
import { noteTimeSeen } from '../kernel/db/instance.ts'

/** Less may come of a slow answer, or of a clock that is being slewed. */
export const clockMsMax = 2000

/**
 * Warns of a clock of the database that was put back, since what is due by the times written before
 * waits until it is there again, and of a machine whose clock differs from the database's. Each is
 * told once for as long as it lasts.
 *
 * @returns looks at the clocks
 */
export function clockJudge({ db, log, now }: ProcessContext): () => Promise<void> {
  const told = new Set<string>()
  const warn = (code: string, offMs: number, text: string) => {
    if (Math.abs(offMs) <= clockMsMax) told.delete(code)
    else if (!told.has(code)) {
      told.add(code)
      log.warn({ code, offMs: Math.round(offMs) }, text)
    }
  }
  return async () => {
    const behindMs = await noteTimeSeen(db)
    warn('clock_behind', behindMs, clockBehind(behindMs))
    warn('clock_differs', now().getTime() - Date.now(), clockDiffers)
  }
}

export const clockBehind = (behindMs: number) =>
  `The clock of the database is ${inWords(behindMs)} behind the latest time that it has told: what was to be done in between waits until it is there again.`

const clockDiffers =
  'The clock of this machine differs from that of the database, by which the service goes.'

const inWords = (ms: number) =>
  ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`
