import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { UnaskedContinue } from './unasked-continue.ts'

/** What a reader gets of chunks that arrive one by one. */
function readAll(chunks: string[]): string {
  const socket = new PassThrough()
  const responses = new UnaskedContinue(socket)
  responses.expectResponse()
  return chunks
    .map((chunk) => {
      socket.write(chunk)
      return String(socket.read())
    })
    .join('')
}

const final = 'HTTP/1.1 200 OK\r\nContent-Length: 32\r\n\r\n\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
const informational = (status: number) => `HTTP/1.1 ${status} Anything\r\nLink: <a>\r\n\r\n`

test.each([
  ['in one piece', (text: string) => [text]],
  ['byte by byte', (text: string) => [...text]],
])(
  'every 100 before the response reads as 102, and nothing of the response changes: %s',
  (_how, split) => {
    const given = [100, 103, 100, 102].map(informational).join('')
    const read = [102, 103, 102, 102].map(informational).join('')
    expect(readAll(split(given + final))).toBe(read + final)
    expect(readAll(split(final))).toBe(final)
  },
)
