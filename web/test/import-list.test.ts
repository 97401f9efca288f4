import { afterEach, expect, test, vi } from 'vitest'
import { client } from '../src/api/generated/client.gen.ts'
import { importList } from '../src/features/suppression/import-list.ts'

const { baseUrl = '' } = client.getConfig()
afterEach(() => {
  vi.unstubAllGlobals()
  client.setConfig({ baseUrl })
})

const lines = Array.from({ length: 200_000 }, (_, n) =>
  n % 70_000 === 69_999 ? 'nonsense' : `jörg${n}@many.example`,
)
const text = lines.join('\r\n')
const toTheEnd = new AbortController().signal

/** Answers as the server does, to which a line without @ is no entry, and the first one may be a heading. */
function answering(sent: string[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    expect(request.headers.get('x-workspace-id')).toBe('own')
    const piece = await request.text()
    sent.push(piece)
    const read = piece.split(/\r?\n/)
    const invalid_lines = read.flatMap((line, at) =>
      line === '' || line.includes('@') || (at === 0 && line.startsWith('email')) ? [] : [at + 1],
    )
    const added = read.filter((line) => line.includes('@')).length
    return Response.json({ added, known: 0, invalid: invalid_lines.length, invalid_lines })
  }
}

test.each([
  ['UTF-8', new Blob([text])],
  ['UTF-16', new Blob([Buffer.from(`\ufeff${text}`, 'utf16le')])],
])(
  'a long list of suppressions in %s arrives whole, in pieces that end with a line, and is told of as one',
  async (_encoding, list) => {
    const sent: string[] = []
    client.setConfig({ baseUrl: 'http://server.example' })
    vi.stubGlobal('fetch', answering(sent))
    expect(await importList('own', list, 'blocked', toTheEnd)).toEqual({
      ...{ added: 199_998, known: 0, invalid: 2, invalid_lines: [70_000, 140_000] },
      isStopped: false,
    })
    expect(sent.map((piece) => piece.replace(/^\n/, '')).join('')).toBe(text)
    expect(sent.length).toBeGreaterThan(2)
    for (const piece of sent.slice(0, -1)) expect(piece.endsWith('\r\n')).toBe(true)
    for (const piece of sent) expect(Buffer.byteLength(piece)).toBeLessThan(3 * 1024 * 1024)
  },
)

test('only the first line of a list is a heading, however many pieces it is sent in', async () => {
  client.setConfig({ baseUrl: 'http://server.example' })
  vi.stubGlobal('fetch', answering([]))
  const long = `ann@${'x'.repeat(2 * 1024 * 1024)}`
  const list = new Blob([['email', long, 'email of Bob', long, 'email of Cleo'].join('\n')])
  expect(await importList('own', list, 'blocked', toTheEnd)).toEqual({
    ...{ added: 2, known: 0, invalid: 2, invalid_lines: [3, 5] },
    isStopped: false,
  })
})

test('a list that is stopped ends with the piece that is under way, and tells what was added so far', async () => {
  const stop = new AbortController()
  const sent: string[] = []
  const answer = answering(sent)
  client.setConfig({ baseUrl: 'http://server.example' })
  vi.stubGlobal('fetch', (input: Request) => {
    stop.abort()
    return answer(input)
  })
  const imported = await importList('own', new Blob([text]), 'blocked', stop.signal)
  expect(sent).toHaveLength(1)
  const added = sent.join().split('@').length - 1
  expect(imported).toEqual({
    ...{ added, known: 0, invalid: 1, invalid_lines: [70_000], isStopped: true },
  })
})
