import { answering, type Fault, rewriting } from '../engine/faults.ts'
import type { SendingConditions } from './conditions.ts'

/** The statements that faults are about, by what only they say. */
const statement = {
  findPlaces: /\) as moved_ids,/,
  findAnswers: / as auto_replied,/,
  isSuppressed: /from suppressions x\n/,
}

const busy: Partial<SendingConditions> = {
  ...{ calm: false, crashes: 0, stalls: 0, restarts: 0, resetChance: 0, mailResetChance: 0 },
  ...{ leads: 6, steps: 3, pace: 'unhindered', actions: 20, addingChance: 0, troubles: 0 },
}

export const rearrangingFaults: Fault<SendingConditions>[] = [
  answering(
    'answer-before-the-move-forgotten',
    'What comes back from a mail that somebody got before the move does not stop who is written to now.',
    { ...busy, talkative: true },
    statement.findPlaces,
    (rows) => rows.map((row) => ({ ...row, moved_ids: [] })),
  ),
  answering(
    'answer-forgotten-by-an-undo',
    'A suppression that is undone brings back whoever has answered, too.',
    { ...busy, talkative: true, actions: 40, rearrangingChance: 1, disturbedMs: 7_200_000 },
    statement.findAnswers,
    (rows) => rows.map((row) => ({ ...row, replied: false, auto_replied: false })),
  ),
  rewriting(
    'suppression-not-seen',
    'Mails are claimed and marked whoever does not want them.',
    busy,
    statement.isSuppressed,
    [/from suppressions x\n/g, 'from (select * from suppressions where false) x\n'],
  ),
]
