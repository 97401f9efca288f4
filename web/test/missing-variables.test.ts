import { expect, test } from 'vitest'
import type { Campaign } from '../src/api/generated/types.gen.ts'
import {
  mayLackMore,
  missingVariables,
  reachedAtMost,
  unknownIn,
} from '../src/features/campaigns/missing-variables.ts'

const campaign = (...variants: object[]) =>
  ({ sequences: [{ steps: [{ variants }] }] }) as unknown as Pick<Campaign, 'sequences'>

const known = {
  leads: 10,
  items: [
    { name: 'last_name', missing: 0 },
    { name: 'first_name', missing: 3 },
    { name: 'city', missing: 4 },
  ],
}

test('of the variables that a mail says those are told that leads lack, where they are said first', () => {
  const mails = campaign(
    { subject: 'Hello {{first_name}} {{last_name}}', body: '<p>{{signature}}, {{email}}</p>' },
    { subject: '', body: '<p>{{firstName}} in {{ city | upcase }}, {{ planet }}</p>' },
  )
  expect(missingVariables(mails, known)).toEqual([
    { name: 'first_name', count: 3, step: 1, variant: 1 },
    { name: 'city', count: 4, step: 1, variant: 2 },
    { name: 'planet', count: 10, step: 1, variant: 2 },
  ])
})

test('a default, a condition and a variant that is off lack nothing', () => {
  const mails = campaign(
    { subject: '', body: '<p>{{ first_name | upcase | default: "there" }}</p>' },
    { subject: '', body: '{% if city %}{{ city }}{% endif %}' },
    { subject: '{{ city }}', body: '', v_disabled: true },
  )
  expect(missingVariables(mails, known)).toEqual([])
  expect(
    missingVariables(campaign({ subject: '{{ city }}', body: '' }), { leads: 0, items: [] }),
  ).toEqual([])
})

test.each([
  ['says what leads lack', '{% if last_name %}a{% endif %}{{ city }}', true],
  ['says what every lead has', '{% if city %}a{% endif %}{{ last_name }}', false],
  ['has a default for it', '{% if city %}a{% endif %}{{ city | default: "" }}', false],
])('of a mail with conditions is known whether it %s', (_what, body, expected) => {
  expect(mayLackMore(campaign({ subject: '', body }), known)).toBe(expected)
  const off = campaign({ subject: '', body, v_disabled: true })
  expect(mayLackMore(off, known)).toBe(false)
})

test('where no variant of the first mail is on, no lead is told to lack what it says', () => {
  const off = campaign({ subject: '{{ planet }}', body: '', v_disabled: true })
  expect(reachedAtMost(off, known)).toBe(10)
})

test.each([
  ['nothing that is lacked', ['{{last_name}}'], 10],
  ['two that are lacked, by the same leads maybe', ['{{first_name}} {{city}}'], 6],
  ['what nobody has', ['{{planet}}'], 0],
  ['in each variant another', ['{{planet}}', '{{city}}'], 6],
  ['in both variants the same', ['{{city}}', '{{first_name}} {{city}}'], 6],
  ['in each variant another that most have', ['{{city}}', '{{first_name}}'], 10],
])(
  'of leads that get the first mail no more are told than have what it says: %s',
  (_what, bodies, most) => {
    const mails = campaign(...bodies.map((body) => ({ subject: '', body })))
    expect(reachedAtMost(mails, known)).toBe(most)
  },
)

test.each([
  [
    'what every lead lacks, as it is written',
    '{{ planet }} {{planet}} {{first_name}} {{city}}',
    ['planet'],
  ],
  [
    'nothing that has a default',
    '{{ planet | default: "Earth" }} {{ planet | upcase }}',
    ['planet | upcase'],
  ],
  ['nothing of the mailbox and the service', '{{signature}} {{ unsubscribe_url }}', []],
  ['nothing beside a condition', '{% if planet %}{{ planet }}{% endif %}', []],
])('of a mail is told what nobody has: %s', (_what, body, unknown) => {
  const mail = { id: 'a', subject: '', body, v_disabled: false }
  expect(unknownIn(mail, known)).toEqual(unknown)
  expect(unknownIn(mail, { leads: 0, items: [] })).toEqual([])
})
