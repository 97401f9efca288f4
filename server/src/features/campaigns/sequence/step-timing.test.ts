import { expect, test } from 'vitest'
import { afterDelay, nextStep, type StepDelay, stepsBehind } from './step-timing.ts'

const steps = (...ids: string[]) => ids.map((id) => ({ id }))
const has = (...ids: string[]) => ({ sent_step_ids: ids, current_step: ids.length })
const nextOf = (now: string, sent: string) => nextStep(steps(...now), has(...sent))?.id ?? 'none'

test.each([
  ['nothing was sent', 'ABC', '', 'A'],
  ['one step was sent', 'ABC', 'A', 'B'],
  ['every step was sent', 'ABC', 'ABC', 'none'],
  ['the next step was removed', 'AC', 'A', 'C'],
  ['the last step sent was removed', 'AC', 'AB', 'C'],
  ['both were removed', 'AD', 'AB', 'D'],
  ['a step was added behind', 'ABC', 'AB', 'C'],
  ['a step was put in front', 'XABC', 'A', 'B'],
  ['a step was put next', 'AXBC', 'A', 'X'],
  ['steps sent changed places', 'BAC', 'AB', 'C'],
  ['the next step moved before those sent', 'CAB', 'AB', 'none'],
  ['a step sent moved behind the next', 'ACB', 'AB', 'none'],
  ['a step sent moved behind two that were not', 'BCDA', 'AB', 'C'],
  ['every step was replaced', 'XYZ', 'A', 'Y'],
  ['every step was replaced by fewer', 'X', 'AB', 'none'],
  ['there is no step', '', '', 'none'],
])('%s: of %s with %s sent, the next is %s', (_case, now, sent, next) => {
  expect(nextOf(now, sent)).toBe(next)
})

test.each([
  ['nothing was sent', 'ABC', '', 0],
  ['two steps were sent', 'ABC', 'AB', 2],
  ['a step sent was removed', 'BC', 'AB', 1],
  ['every step was sent and one removed', 'BC', 'ABC', 2],
  ['steps sent changed places', 'BAC', 'AB', 2],
  ['every step was replaced by fewer', 'X', 'AB', 1],
])('%s: of %s with %s sent, %d are behind', (_case, now, sent, behind) => {
  expect(stepsBehind(steps(...now), has(...sent))).toBe(behind)
})

test.each<[string, string, number, StepDelay['delay_unit'], string]>([
  ['Europe/Berlin', '2026-03-28T08:00:00Z', 1, 'days', '2026-03-29T07:00:00Z'],
  ['Europe/Berlin', '2026-03-28T08:00:00Z', 24, 'hours', '2026-03-29T08:00:00Z'],
  ['America/New_York', '2026-10-31T13:00:00Z', 1, 'days', '2026-11-01T14:00:00Z'],
  ['Europe/Berlin', '2026-03-28T08:00:00Z', 90, 'minutes', '2026-03-28T09:30:00Z'],
  ['Europe/Berlin', '2026-03-28T08:00:00Z', 0, 'days', '2026-03-28T08:00:00Z'],
])('in %s, %s and %d %s is %s', (zone, from, delay, delay_unit, to) => {
  expect(afterDelay(zone, { delay, delay_unit }, new Date(from))).toEqual(new Date(to))
})
