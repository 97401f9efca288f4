import { expect, test } from 'vitest'
import type { SendState } from '../ledger.ts'
import { type Outcome, transitionOf } from './outcome.ts'

const error = { stage: 'rcpt', code: '450', message: 'Later.' }
const outcomes: Record<string, Outcome> = {
  sent: { kind: 'sent' },
  uncertain: { kind: 'uncertain', error },
  failed: { kind: 'failed', error, effect: { kind: 'again' } },
  abandoned: { kind: 'abandoned' },
}

/** The new state, `+` when the lead's history tells of it, `-` when a limit is given back. */
function inShort(state: SendState, outcome: Outcome): string {
  const transition = transitionOf(state, outcome)
  if (!transition) return 'nothing'
  return `${transition.state}${transition.records ? ' +' : ''}${transition.givesBack ? ' -' : ''}`
}

test.each<[string, Record<SendState, string>]>([
  [
    'sent',
    {
      waiting: 'nothing',
      claimed: 'nothing',
      transmitting: 'sent +',
      uncertain: 'sent',
      sent: 'nothing',
      failed: 'nothing',
    },
  ],
  [
    'uncertain',
    {
      waiting: 'nothing',
      claimed: 'nothing',
      transmitting: 'uncertain +',
      uncertain: 'nothing',
      sent: 'nothing',
      failed: 'nothing',
    },
  ],
  [
    'failed',
    {
      waiting: 'nothing',
      claimed: 'failed -',
      transmitting: 'failed -',
      uncertain: 'failed -',
      sent: 'nothing',
      failed: 'nothing',
    },
  ],
  [
    'abandoned',
    {
      waiting: 'nothing',
      claimed: 'failed -',
      transmitting: 'uncertain +',
      uncertain: 'nothing',
      sent: 'nothing',
      failed: 'nothing',
    },
  ],
])('%s settles by what the row waits for, and records a mail once', (kind, expected) => {
  const outcome = outcomes[kind] as Outcome
  const states = Object.keys(expected) as SendState[]
  const actual = Object.fromEntries(states.map((state) => [state, inShort(state, outcome)]))
  expect(actual).toEqual(expected)
})
