import { expect, test } from 'vitest'
import { boundedSource, headOf } from './bounded-source.ts'

const bounded = (text: string) => boundedSource(Buffer.from(text)).toString()

const head = 'Subject: x\r\nContent-Type: multipart/mixed; boundary=B\r\n'
const part = '--B\r\n\r\nx\r\n'
const lineCount = (text: string) => text.match(/\n/g)?.length

test('a mail ends before its 201st part', () => {
  const mail = `${head}\r\n${part.repeat(200)}`
  expect(bounded(mail)).toBe(mail)
  expect(bounded(mail + part)).toBe(mail)
  expect(bounded(`${mail}${part.repeat(10_000)}`)).toBe(mail)
})

test('a mail ends with its 20,000th line', () => {
  const mail = `${head}\r\n${'x\r\n'.repeat(20_000 - 3)}`
  expect(lineCount(mail)).toBe(20_000)
  expect(bounded(mail)).toBe(mail)
  expect(bounded(`${mail}x\r\nx`)).toBe(mail)
})

test.each([
  ['of the mail', (lines: string) => `${lines}\r\nx\r\n--B\r\n`],
  ['of a part', (lines: string) => `--B\r\n${lines}\r\nx\r\n--B\r\n`],
  ['of several parts', (lines: string) => `\r\n--B\r\n\r\nx\r\n--B\r\n${lines}\r\nx\r\n`],
])('headers %s beyond 1,000, or 64 kB, are left out, and nothing else', (_of, mail) => {
  const short = 'a: b\r\n'
  expect(bounded(mail(short.repeat(1000)))).toBe(mail(short.repeat(1000)))
  expect(bounded(mail(short.repeat(5000)))).toBe(mail(short.repeat(1000)))
  const long = `a: ${'b'.repeat(1024 - 5)}\r\n`
  expect(bounded(mail(long.repeat(64)))).toBe(mail(long.repeat(64)))
  expect(bounded(mail(long.repeat(300)))).toBe(mail(long.repeat(64)))
})

test('headers of all parts count together', () => {
  const parts = (count: number) => `--B\r\n${'a: b\r\n'.repeat(count)}\r\nx\r\n`
  expect(bounded(`${parts(600)}${parts(600)}`)).toBe(`${parts(600)}${parts(400)}`)
})

const recipients = `To: ${'ada@receiver.example,\r\n '.repeat(3000)}ada@receiver.example\r\n`

test('whose mail it is stands behind thousands of recipients, too', () => {
  const needed = [
    ...['From: Ada', ' <ada@lead.example>', 'Message-ID: <a@b>', 'In-Reply-To: <c@d>'],
    ...['references: <c@d>', 'Auto-Submitted : no', 'Content-Type: text/plain'],
  ].join('\r\n')
  const kept = bounded(`${recipients}X: y\r\n z\r\n${needed}\r\nX: y\r\n\r\nx`)
  expect(kept.endsWith(`ada@receiver.example,\r\n${needed}\r\n\r\nx`)).toBe(true)
  expect(headOf(Buffer.from(`${recipients}${needed}\r\n\r\nx`)).toString()).toContain(needed)
})

test.each(['From: a@b.example\r\n', `From: a\r\n ${'b'.repeat(1000)}\r\n`])(
  'of those, too, there are 1,000 lines, or 64 kB, and no more',
  (from) => {
    const kept = bounded(`${from.repeat(9_000)}\r\nx`)
    expect(lineCount(kept)).toBeLessThanOrEqual(2_001)
    expect(kept.length).toBeLessThanOrEqual(2 * 64 * 1024 + 3)
  },
)
