import { expect, test } from 'vitest'
import { boundedSource } from './bounded-source.ts'

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
