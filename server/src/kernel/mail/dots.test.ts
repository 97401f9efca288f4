import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finalDot, stuffDots } from './dots.ts'
import { type Reply, ReplyParser } from './reply.ts'

const lines = fc
  .array(fc.constantFrom('.', '..', '.x', 'x', '', '. ', 'é', '.\t'), { maxLength: 20 })
  .map((parts) => parts.map((line) => `${line}\r\n`).join(''))

/** What a server makes of DATA (RFC 5321 §4.5.2). */
const unstuff = (text: string) => text.replaceAll(/(^|\r\n)\.(?=[^\r])/g, '$1').slice(0, -3)

test('what a server takes out is what was put in', () => {
  fc.assert(
    fc.property(lines, (text) => {
      const sent = Buffer.concat([stuffDots(Buffer.from(text)), finalDot]).toString()
      expect(unstuff(sent)).toBe(text)
    }),
  )
})

test('nothing in a message can be taken for its end, however ends of lines are understood', () => {
  const pieces = fc.array(fc.constantFrom('.', '\r', '\n', '\r\n', 'x'), { maxLength: 30 })
  fc.assert(
    fc.property(pieces, (parts) => {
      const stuffed = stuffDots(Buffer.from(parts.join(''))).toString()
      expect(stuffed).not.toMatch(/(^|[\r\n])\.([\r\n]|$)/)
      expect(stuffed === '' || stuffed.endsWith('\n')).toBe(true)
    }),
  )
})

test('a reply is the same wherever the network cuts it', () => {
  const text = '250-first\r\n250-sécond\r\n250 third\r\n354 go\r\n550 5.1.1 who?\r\n'
  const whole = read([Buffer.from(text)])
  expect(whole).toEqual([
    { code: 250, text: 'first\nsécond\nthird' },
    { code: 354, text: 'go' },
    { code: 550, text: '5.1.1 who?' },
  ])
  const bytes = Buffer.from(text)
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), bytes.length]
      expect(read(at.slice(1).map((end, i) => bytes.subarray(at[i], end)))).toEqual(whole)
    }),
  )
})

function read(chunks: Buffer[]): Reply[] {
  const parser = new ReplyParser()
  const replies: Reply[] = []
  for (const chunk of chunks) {
    if (chunk.length > 0) parser.push(chunk)
    for (let reply = parser.shift(); reply; reply = parser.shift()) replies.push(reply)
  }
  return replies
}
