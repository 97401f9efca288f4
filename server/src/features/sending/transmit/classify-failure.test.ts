import { expect, test } from 'vitest'
import { failureOf, smtpAnswers } from '../../../../test/mail/smtp-answers.ts'
import { MailFailure, tokenDetail } from '../../../kernel/mail/index.ts'
import { classifyFailure, errorOf } from './classify-failure.ts'

const now = new Date('2026-11-20T09:00:00Z')
const attempted = { attempt: 1, now, random: 0.5 }

/** The server's answer, as `550 5.1.1 No such user`. */
function answer(stage: MailFailure['stage'], text: string, recipient?: string): MailFailure {
  const [, code, enhanced] = /^(\d{3})(?: ([245]\.\d+\.\d+))?/.exec(text) ?? []
  return new MailFailure(stage, 'refused', {
    ...{ code: Number(code), enhanced: enhanced ?? null, response: text },
    recipient: recipient ?? (stage === 'rcpt' ? 'ann@example.com' : null),
  })
}

/** What becomes of the lead, and what is held against the mailbox. */
function inShort(failure: MailFailure, attempt = 1): string {
  const { outcome, trouble } = classifyFailure(failure, { ...attempted, attempt })
  const lead = outcome.kind === 'failed' ? outcome.effect.kind : outcome.kind
  if (!trouble) return lead
  return `${lead}, mailbox ${trouble.needsPerson ? 'needs a person' : 'waits'}`
}

test('the corpus has answers of many servers', () => {
  expect(smtpAnswers.length).toBeGreaterThanOrEqual(140)
})

test.each(smtpAnswers)('at $stage, $text: $verdict', ({ verdict, stage, text }) => {
  const told = inShort(failureOf({ stage, text }, 'ann@example.com'))
  expect(
    told.replace(', mailbox needs a person', ' +person').replace(', mailbox waits', ' +waits'),
  ).toBe(verdict)
})

test.each<[MailFailure['stage'], string, string]>([
  // The address does not work: this lead, and no other.
  ['rcpt', '550 5.1.1 No such user', 'bounce'],
  ['rcpt', '550 5.1.10 Recipient not found', 'bounce'],
  ['rcpt', '550 No such user here', 'bounce'],
  ['rcpt', '553 Mailbox name not allowed', 'later'],
  ['rcpt', '550 5.2.1 The account is disabled', 'bounce'],
  ['rcpt', '550 5.4.1 Recipient address rejected', 'bounce'],
  ['rcpt', '501 5.1.3 Bad recipient address syntax', 'bounce'],
  ['message', '550 5.1.1 No such user', 'bounce'],
  // It may work later.
  ['rcpt', '450 4.2.0 Greylisted', 'later'],
  ['rcpt', '451 Try again', 'later'],
  ['rcpt', '452 4.2.2 Mailbox full', 'later'],
  ['rcpt', '552 5.2.2 Mailbox full', 'later'],
  ['rcpt', '552 Mailbox full', 'later'],
  ['rcpt', '552 Requested action aborted', 'later'],
  ['message', '451 4.3.0 Temporary problem', 'later'],
  ['data', '451 4.3.0 Temporary problem', 'later'],
  // The mail itself.
  ['mail', '552 5.3.4 Message too big', 'skip'],
  ['mail', '552 Message size exceeds fixed limit', 'skip'],
  ['message', '552 5.3.4 Message too big', 'skip'],
  ['message', '552 Too big', 'skip'],
  ['rcpt', '552 5.2.3 Message too big for this mailbox', 'skip'],
  ['mail', '550 5.6.7 No addresses beyond ASCII', 'skip'],
  ['message', '550 5.6.0 Line too long', 'skip'],
  // Who sends, and how much.
  ['mail', '550 5.7.1 Not allowed to send as this address', 'again, mailbox needs a person'],
  ['mail', '553 Sender address rejected', 'again, mailbox needs a person'],
  ['mail', '530 5.7.0 Authentication required', 'again, mailbox needs a person'],
  ['mail', '451 4.3.2 Try again', 'again, mailbox waits'],
  ['rcpt', '550 5.4.5 Daily user sending limit exceeded', 'again, mailbox needs a person'],
  ['rcpt', '550 Daily sending quota exceeded', 'again, mailbox needs a person'],
  ['message', '452 4.3.1 Too many messages', 'again, mailbox needs a person'],
  ['rcpt', '554 5.7.1 Relay access denied', 'later, mailbox needs a person'],
  ['rcpt', '454 4.7.1 Relay access denied', 'later, mailbox waits'],
  ['message', '554 5.7.1 Rejected as spam', 'later, mailbox needs a person'],
  ['message', '554 Transaction failed', 'later, mailbox needs a person'],
  // The way there.
  ['login', '535 5.7.8 Bad credentials', 'again, mailbox needs a person'],
  ['login', '454 4.7.0 Temporary authentication failure', 'again, mailbox waits'],
  ['connect', '554 No SMTP service here', 'again, mailbox waits'],
  ['connect', '421 Too busy', 'again, mailbox waits'],
  ['mail', '421 4.7.0 Closing', 'again, mailbox waits'],
  ['message', '421 4.3.0 Closing', 'again, mailbox waits'],
])('at %s, %s: %s', (stage, text, verdict) => {
  expect(inShort(answer(stage, text))).toBe(verdict)
})

test.each<[MailFailure['stage'], MailFailure['kind'], string]>([
  ['connect', 'timeout', 'again, mailbox waits'],
  ['connect', 'unreachable', 'again, mailbox waits'],
  ['connect', 'dns', 'again, mailbox waits'],
  ['connect', 'blocked', 'again, mailbox needs a person'],
  ['tls', 'tls', 'again, mailbox needs a person'],
  ['login', 'timeout', 'again, mailbox waits'],
  ['login', 'protocol', 'again, mailbox needs a person'],
  ['rcpt', 'closed', 'again, mailbox waits'],
  ['data', 'timeout', 'again, mailbox waits'],
])('at %s, %s: %s', (stage, kind, verdict) => {
  expect(inShort(new MailFailure(stage, kind))).toBe(verdict)
})

test.each<[MailFailure['kind'], string]>([
  ['refused', 'again, mailbox needs a person'],
  ['blocked', 'again, mailbox needs a person'],
  ['protocol', 'again, mailbox waits'],
  ['timeout', 'again, mailbox waits'],
])('where the provider of the login gives no access token, %s: %s', (kind, verdict) => {
  expect(inShort(new MailFailure('login', kind, { detail: tokenDetail }))).toBe(verdict)
})

test('a connection that breaks after the final dot leaves it open what became of the mail', () => {
  for (const kind of ['closed', 'timeout', 'protocol'] as const) {
    expect(inShort(new MailFailure('message', kind, { certain: false }))).toBe(
      'uncertain, mailbox waits',
    )
  }
})

test('a mail that is put off again and again is given up, and says why', () => {
  const greylisted = answer('rcpt', '450 4.2.0 Greylisted')
  const waits = [1, 2, 3, 4, 5].map((attempt) => {
    const { outcome } = classifyFailure(greylisted, { ...attempted, attempt })
    if (outcome.kind !== 'failed' || outcome.effect.kind !== 'later') throw new Error('not later')
    return (outcome.effect.at.getTime() - now.getTime()) / 60_000
  })
  expect(waits).toEqual([5, 15, 60, 240, 720])
  expect(classifyFailure(greylisted, { ...attempted, attempt: 6 }).outcome).toMatchObject({
    effect: { kind: 'skip', detail: expect.stringContaining('Greylisted') },
  })
})

test('a lead over which the server breaks down every time does not keep the others waiting', () => {
  const broken = new MailFailure('data', 'closed')
  const outcomes = [1, 2, 3, 4, 7, 8, 20].map((attempt) => inShort(broken, attempt).split(',')[0])
  expect(outcomes).toEqual(['again', 'again', 'later', 'later', 'later', 'skip', 'skip'])
})

test('nothing that a server says of a lead is tried without end', () => {
  const endless = smtpAnswers.filter(({ stage, text }) => {
    const { outcome } = classifyFailure(failureOf({ stage, text }, 'ann@example.com'), {
      ...attempted,
      attempt: 8,
    })
    const ends = ['skip', 'bounce']
    return stage !== 'login' && outcome.kind === 'failed' && !ends.includes(outcome.effect.kind)
  })
  expect(endless).toEqual([])
})

test('what keeps a mailbox from its server is held against no lead, however often', () => {
  const refused = answer('login', '535 5.7.8 Bad credentials')
  expect(inShort(refused, 20)).toBe('again, mailbox needs a person')
})

test('a quota keeps the mailbox from sending for an hour', () => {
  const { trouble } = classifyFailure(answer('rcpt', '550 5.4.5 Quota'), attempted)
  expect(trouble?.pauseMs).toBe(3_600_000)
})

test('what is kept of an answer is a text that every database takes', () => {
  const strange = answer('rcpt', `550 5.1.1 a\u0000b\ud800c\n${'x'.repeat(1000)}`)
  const { message, code } = errorOf(strange)
  expect(code).toBe('5.1.1')
  expect(message.length).toBe(500)
  expect(message.isWellFormed()).toBe(true)
  expect(message).not.toMatch(/\p{Cc}/u)
})
