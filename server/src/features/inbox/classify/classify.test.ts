import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { snippetOf } from '../../../kernel/text.ts'
import type { Bounce } from './bounce.ts'
import { classify } from './classify.ts'
import { parseMessage } from './message.ts'
import { visibleText } from './visible-text.ts'

const folder = new URL('../../../../test/mail/corpus/', import.meta.url)
const receivedAt = new Date('2026-11-20T09:37:30.000Z')
const ours = '<019a9d5e-8a00-7c31-9d0a-5e1f6a2b3c4d@sender.example>'

const read = async (name: string) => parseMessage(readFileSync(new URL(`${name}.eml`, folder)))
const classified = async (name: string) => classify(await read(name), receivedAt)

type ExpectedBounce = [kind: Bounce['kind'], code: string, recipient?: string]

const bounces: Record<string, ExpectedBounce[]> = {
  'bounce-gmail-no-such-user': [['hard', '5.1.1']],
  'bounce-gmail-over-quota': [['soft', '5.2.2']],
  'bounce-gmail-delayed': [['soft', '4.4.1']],
  'bounce-outlook-no-such-user': [['hard', '5.1.10']],
  'bounce-outlook-access-denied': [['hard', '5.4.1']],
  'bounce-outlook-mailbox-full': [['soft', '5.2.2']],
  'bounce-exchange-policy': [['soft', '5.7.1']],
  'bounce-exchange-old-without-status': [['hard', '5.1.1']],
  'bounce-postfix-no-such-user': [['hard', '5.1.1']],
  'bounce-postfix-delayed': [['soft', '4.4.1']],
  'bounce-postfix-expired': [['soft', '4.4.1']],
  'bounce-postfix-full-as-5-0-0': [['soft', '5.0.0']],
  'bounce-postfix-host-not-found': [['hard', '5.1.2', 'ada@gone.example']],
  'bounce-postfix-two-recipients': [
    ['hard', '5.1.1'],
    ['soft', '4.2.2', 'bob@receiver.example'],
  ],
  'bounce-exim-no-such-user': [['hard', '5.0.0']],
  'bounce-exim-delayed': [['soft', '4.7.1']],
  'bounce-sendmail-no-such-user': [['hard', '5.1.1']],
  'bounce-sendmail-delayed': [['soft', '4.2.0']],
  'bounce-qmail-no-such-user': [['hard', '5.1.1']],
  'bounce-qmail-timeout': [['soft', '4.4.1']],
  'bounce-ses-no-such-user': [['hard', '5.1.1']],
  'bounce-ses-content-rejected': [['soft', '5.7.1']],
  'bounce-yahoo-disabled': [['hard', '5.0.0']],
  'bounce-yahoo-plain-text': [['hard', '5.1.1']],
  'bounce-zoho-no-such-user': [['hard', '5.1.1']],
  'bounce-international-address': [['hard', '5.1.1', 'jörg@xn--bcher-kva.example']],
  'bounce-german-provider': [['hard', '5.1.1']],
}

/** Reports that do not say which mail they are about: matched by their recipient. */
const withoutOriginal = ['bounce-exchange-old-without-status', 'bounce-exim-delayed']

/** The first day back; null: out of office, nobody knows until when. */
const outOfOffice: Record<string, string | null> = {
  'ooo-english-gmail': '2026-12-07',
  'ooo-english-outlook-until': '2026-12-05',
  'ooo-english-us-dates': '2026-11-28',
  'ooo-english-no-date': null,
  'ooo-english-range': '2026-12-01',
  'ooo-english-past': null,
  'ooo-german': '2026-12-07',
  'ooo-german-short': '2026-11-28',
  'ooo-french': '2026-12-05',
  'ooo-french-back': '2026-12-07',
  'ooo-spanish': '2026-12-07',
  'ooo-italian': '2026-12-05',
  'ooo-portuguese': '2026-12-05',
  'ooo-dutch': '2026-12-07',
  'ooo-polish': '2026-12-05',
  'ooo-russian': '2026-12-07',
  'ooo-turkish': '2026-12-05',
  'ooo-japanese': '2026-12-07',
  'ooo-chinese': '2026-12-07',
  'ooo-korean': '2026-12-07',
  'ooo-swedish': '2026-12-05',
  'ooo-subject-only': '2026-12-05',
}

const machines = [
  'auto-ticket-created',
  'auto-left-company',
  'auto-old-autoresponder',
  'auto-precedence-only',
]

/** What the person wrote. */
const replies: Record<string, string> = {
  'reply-gmail': 'Sounds good. When do you have time?',
  'reply-gmail-wrapped-attribution': 'Yes please.',
  'reply-outlook': 'Hi Anna, please call me next week. Ada',
  'reply-outlook-header-block': 'Not interested, thanks.',
  'reply-apple-german': 'Klingt gut!',
  'reply-german-outlook': 'Gern, melden Sie sich im Januar.',
  'reply-french': 'Oui, volontiers.',
  'reply-mentions-office-by-hand': 'I was out of the office last week, sorry. Tell me more.',
  'reply-top-and-inline': 'Thank you! Yes.',
  'reply-japanese': 'ありがとうございます。詳しく教えてください。',
  'reply-says-stop-in-passing':
    'We cannot stop the production line for that, but how about a call on Tuesday?',
  'reply-quotes-unsubscribe-only': 'Interesting, send me the price list.',
  'reply-html-only': 'Great, call me.',
  'reply-no-headers-at-all': 'Just text, nothing else.',
  'reply-latin1': 'Schöne Grüße aus München',
  'reply-calendar-thanks': 'From my private address: yes.',
}

const unsubscribes = [
  'reply-unsubscribe-word',
  'reply-unsubscribe-sentence',
  'reply-unsubscribe-german',
  'reply-unsubscribe-spanish',
]

const complaints: Record<string, string | null> = {
  'complaint-arf': 'ada@receiver.example',
  'complaint-arf-without-recipient': null,
}

test('every mail of the corpus has an expectation, and there are at least sixty', () => {
  const files = readdirSync(folder)
    .map((file) => file.replace('.eml', ''))
    .toSorted()
  const expected = [bounces, outOfOffice, replies, complaints].flatMap(Object.keys)
  expect(files).toEqual([...expected, ...machines, ...unsubscribes].toSorted())
  expect(files.length).toBeGreaterThanOrEqual(60)
})

describe('a report says who cannot be reached, and whether for good', () => {
  test.each(Object.entries(bounces))('%s', async (name, expected) => {
    const inbound = await classified(name)
    if (inbound.kind !== 'bounce') throw new Error(`taken for ${inbound.kind}`)
    expect(inbound.bounces.map(({ kind, code, recipient }) => [kind, code, recipient])).toEqual(
      expected.map(([kind, code, recipient = 'ada@receiver.example']) => [kind, code, recipient]),
    )
    expect(inbound.about).toEqual(withoutOriginal.includes(name) ? [] : [ours])
  })
})

describe('an out-of-office reply tells the first day that the person is back', () => {
  test.each(Object.entries(outOfOffice))('%s: %s', async (name, day) => {
    const inbound = await classified(name)
    if (inbound.kind !== 'auto_reply') throw new Error(`taken for ${inbound.kind}`)
    expect(inbound.isOutOfOffice).toBe(true)
    expect(inbound.returnsOn?.toString() ?? null).toBe(day)
  })
})

test.each(machines)('%s is a machine, and nobody is out of office', async (name) => {
  expect(await classified(name)).toEqual({
    kind: 'auto_reply',
    isOutOfOffice: false,
    returnsOn: null,
  })
})

describe('a reply is what the person wrote, without what is quoted', () => {
  test.each(Object.entries(replies))('%s', async (name, snippet) => {
    expect(await classified(name)).toEqual({ kind: 'reply', wish: null })
    expect(snippetOf(visibleText(await read(name)))).toBe(snippet)
  })
})

test.each(unsubscribes)('%s asks not to be written to', async (name) => {
  expect(await classified(name)).toEqual({
    kind: 'reply',
    wish: name === 'reply-unsubscribe-sentence' ? 'possible' : 'plain',
  })
})

test.each(Object.entries(complaints))('%s is a complaint of %s', async (name, recipient) => {
  expect(await classified(name)).toEqual({ kind: 'complaint', about: [ours], recipient })
})
