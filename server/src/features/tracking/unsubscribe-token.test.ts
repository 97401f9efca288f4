import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { parseMessage } from '../inbox/classify/message.ts'
import { createLinkTokenBox, type Token } from './token.ts'
import { mailtoUnsubscribe, readUnsubscribeToken } from './unsubscribe-token.ts'

const box = createLinkTokenBox([randomBytes(64)])
const token: Token = {
  kind: 'unsubscribe',
  workspaceId: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d',
  leadId: '019a9d5e-1111-7c31-9d0a-5e1f6a2b3c4d',
  stepId: '019a9d5e-2222-7c31-9d0a-5e1f6a2b3c4d',
  text: 'jürgen@bücher.example',
}
const made = box.make(token)
const url = mailtoUnsubscribe('anna@example.com', made)
/** What a mail program writes that follows the address. */
const subject = new URL(url).searchParams.get('subject') ?? ''

const tokenIn = async (lines: string[]) => {
  const { subject, text } = await parseMessage(Buffer.from(lines.join('\r\n')))
  return readUnsubscribeToken(box, [subject, text])
}

const base64Words = (text: string) =>
  (text.match(/.{1,40}/g) ?? []).map(
    (part) => `=?UTF-8?B?${Buffer.from(part).toString('base64')}?=`,
  )

test.each<[string, string[]]>([
  ['as it is', [`Subject: ${subject}`, '', '']],
  ['with what mail programs put before it', [`Subject: AW: Re: ${subject}`, '', '']],
  [
    'folded within the token',
    [`Subject: ${subject.slice(0, 60)}`, ` ${subject.slice(60)}`, '', ''],
  ],
  ['in encoded words', [`Subject: ${base64Words(subject).join('\r\n ')}`, '', '']],
  [
    'in quoted encoded words',
    [`Subject: =?utf-8?Q?${subject.replaceAll('_', '=5F').replaceAll(' ', '_')}?=`, '', ''],
  ],
  ['in quotation marks', [`Subject: "${subject}"`, '', '']],
  ['in the text', ['Subject: Unsubscribe', '', `Please:\r\n${subject}`, '']],
  [
    'in the text, cut into lines and quoted',
    ['Subject: x', '', ...(subject.match(/.{1,50}/g) ?? []).map((line) => `> ${line}`), ''],
  ],
  [
    'in HTML alone',
    ['Subject: x', 'Content-Type: text/html', '', `<p>Unsubscribe <b>[${made}]</b></p>`, ''],
  ],
])('the token of a mail is read %s', async (_how, lines) => {
  expect(await tokenIn(lines)).toEqual(token)
})

test.each<[string, string]>([
  ['of another secret', createLinkTokenBox([randomBytes(64)]).make(token)],
  ['of a click', box.make({ ...token, kind: 'click' })],
  ['with another letter', made.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))],
  ['in other capitals', made.toLowerCase()],
  ['cut off', made.slice(0, -4)],
])('a token %s is read as none', (_what, other) => {
  expect(readUnsubscribeToken(box, [`Unsubscribe [${other}]`])).toBeUndefined()
})

test('an answer that quotes our own link carries no token', async () => {
  const quoted = ['Subject: Re: Hello', '', 'Yes, gladly!', '', `> To leave: <${url}>`, '']
  expect(await tokenIn(quoted)).toBeUndefined()
})

test('a long mail of brackets is passed over at once', () => {
  expect(
    readUnsubscribeToken(box, ['['.repeat(1_000_000), `[${'a'.repeat(90)}`.repeat(10_000)]),
  ).toBeUndefined()
})
