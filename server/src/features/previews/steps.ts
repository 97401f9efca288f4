import { AppError, invalidField } from '../../kernel/errors.ts'
import { type Campaign, nextStep } from '../campaigns/index.ts'
import type { SentRow } from './queries.ts'

type Step = Campaign['sequences'][number]['steps'][number]

/** Numbers count from 1. */
export interface NumberedStep extends Omit<Step, 'variants'> {
  number: number
  variants: (Step['variants'][number] & { number: number })[]
}

export const stepsOf = ({ sequences }: Pick<Campaign, 'sequences'>): NumberedStep[] =>
  sequences
    .flatMap(({ steps }) => steps)
    .map((step, index) => ({
      ...step,
      number: index + 1,
      variants: step.variants.map((variant, place) => ({ ...variant, number: place + 1 })),
    }))

/** The one that was asked for, else the lead's next, else the last. */
export function stepAsked(
  steps: NumberedStep[],
  number: number | undefined,
  { sent, current_step }: { sent: SentRow[]; current_step: number },
): NumberedStep {
  const last = steps.at(-1)
  if (!last) throw new AppError('not_ready', 'The campaign has no step.')
  const sent_step_ids = sent.map(({ step_id }) => step_id)
  if (number === undefined) return nextStep(steps, { sent_step_ids, current_step }) ?? last
  const asked = steps[number - 1]
  if (asked) return asked
  throw invalidField('/step', `The campaign has ${last.number} steps; ask for one of them.`)
}

/** What the lead has of its thread when a step comes: mails that were sent, and steps still to be. */
export function mailsBefore(
  asked: NumberedStep,
  steps: NumberedStep[],
  sent: SentRow[],
): { earlier: SentRow[]; unsent: NumberedStep[] } {
  const place = sent.findIndex(({ step_id }) => step_id === asked.id)
  if (place >= 0) return { earlier: sent.slice(0, place), unsent: [] }
  // A step that was put in front of one that was sent is never sent itself.
  const last = steps.findLastIndex(({ id }) => sent.some(({ step_id }) => step_id === id))
  return { earlier: [...sent], unsent: steps.slice(last + 1, asked.number - 1) }
}
