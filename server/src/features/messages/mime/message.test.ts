import fc from 'fast-check'
import { expect, test } from 'vitest'
import { composeMail, type MailCase, readMail } from '../../../../test/mails.ts'
import { MailRefused } from '../index.ts'
import { oneLine } from './header-text.ts'

/** Texts that have broken mails before. */
const awkward = [
  'a\r\nBcc: evil@example.com',
  'a\nBcc: evil@example.com\n\n<b>',
  'a\rb\0c\u0085d\u2028e\u2029f',
  '=?UTF-8?B?QQ==?=',
  '=?utf-8?q?x?= and =?x',
  '.',
  '..\r\n.\r\n.',
  'From here\nFrom there',
  '--',
  '--=_x--',
  ' leading and trailing ',
  'two  spaces   three',
  '\t',
  'x'.repeat(2000),
  'ü'.repeat(1000),
  '👩‍👩‍👧‍👦'.repeat(100),
  `${'word '.repeat(400)}end`,
  `${'ä'.repeat(30)} ${'b'.repeat(80)}`,
  'e\u0301\u0301',
  'مرحبا بالعالم',
  '日本語の件名はとても長いので折り返されます',
  '\ud800 half',
  'quote " and \\ slash',
  'comma, semi; <angle> (round) [square] @at :colon',
  '=3D=\r\n=20 soft=\n',
  '\u202Ertl\u202C',
  '\uFEFFbom',
  '%%EOF {{ x }} {a|b}',
]

const anyText = fc.oneof(
  fc.constantFrom(...awkward),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.string({ maxLength: 300 }),
)

const headerNames = [
  ...['Message-ID', 'Date', 'From', 'To', 'Subject', 'List-Unsubscribe', 'List-Unsubscribe-Post'],
  ...['MIME-Version', 'Content-Type'],
]

const mailWith = (subject: string, name: string, value: string, signature: string): MailCase => ({
  campaign: { insert_unsubscribe_header: true, link_tracking: true, open_tracking: true },
  variant: { subject: '{{subject}}', body: '<p>{{value}}</p><a href="https://x.example">x</a>' },
  lead: { custom_variables: { subject, value } },
  mailbox: { display_name: name, signature },
})

function composeOrRefuse(of: MailCase) {
  try {
    return composeMail(of)
  } catch (error) {
    if (error instanceof MailRefused) return
    throw error
  }
}

/** What a parser may do to the white space of a text that it shows. */
const folded = (text = '') => text.replaceAll(/\s+/g, ' ').trim()

test('whatever is put in, the mail has its own headers and nobody else’s, and 7-bit lines', async () => {
  const cases = fc.tuple(anyText, anyText, anyText, anyText)
  await fc.assert(
    fc.asyncProperty(cases, async ([subject, name, value, signature]) => {
      const mail = composeOrRefuse(mailWith(subject, name, value, signature))
      if (!mail) return
      const text = mail.bytes.toString('latin1')
      expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/)
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      for (const line of text.split('\r\n')) {
        expect(line.length).toBeLessThanOrEqual(line.startsWith('List-Unsubscribe') ? 998 : 78)
      }
      const { headers, mailparser, postal } = await readMail(mail)
      expect(headers.map(([each]) => each)).toEqual(headerNames)
      expect(mail.subject).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect([folded(mailparser.subject), folded(postal.subject)]).toEqual([
        folded(mail.subject),
        folded(mail.subject),
      ])
      expect(folded(mail.html?.replaceAll('\r\n', '\n'))).toBe(
        folded(
          postal.html
            ?.replace(/<a href="[^"]*">/, '<a href="https://x.example">')
            .replace(/<img [^>]*>/, ''),
        ),
      )
      expect(folded(postal.text)).toBe(folded(mail.text))
      expect(folded(mailparser.text)).toBe(folded(mail.text))
    }),
    { numRuns: 400 },
  )
})

test('a subject and a name arrive as they are', async () => {
  const names = anyText.map((text) => oneLine(text).slice(0, 250).toWellFormed())
  await fc.assert(
    fc.asyncProperty(names, async (name) => {
      fc.pre(name !== '')
      const mail = composeMail({ ...mailWith(name, name, 'x', ''), at: new Date(0) })
      const { mailparser, postal } = await readMail(mail)
      expect([mailparser.subject, postal.subject]).toEqual([mail.subject, mail.subject])
      expect(mailparser.from?.value).toEqual([
        { name: folded(name), address: 'ada@sender.example' },
      ])
      expect(postal.from).toEqual({ name: folded(name), address: 'ada@sender.example' })
    }),
    { numRuns: 400 },
  )
})

test.each(awkward.map((text) => [text]))('%j in every place', async (text) => {
  const mail = composeOrRefuse({
    ...mailWith(text, text, text, text),
    thread: { subject: text, in_reply_to: text, references: [text, '<ok@example.com>'] },
  })
  if (!mail) return
  const { mailparser, postal } = await readMail(mail)
  expect([folded(mailparser.text), folded(postal.text)]).toEqual([
    folded(mail.text),
    folded(mail.text),
  ])
})
