import { expect, test } from 'vitest'
import { readNdjson } from './ndjson.ts'

/** @returns the members of each line, or why it cannot be read */
async function read(text: string | Buffer, piece = 1 << 20) {
  const bytes = Buffer.from(text as string)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const rows: (Record<string, string> | string)[] = []
  for await (const lines of readNdjson(pieces())) {
    rows.push(...lines.map(({ members, fault }) => fault ?? Object.fromEntries(members)))
  }
  return rows
}

test('every line is an object, wherever the pieces are cut', async () => {
  const text = '{"a": "é"}\r\n{"a": 5, "b": true, "c": null}\n\n{"a": "雪"}'
  for (const piece of [1, 2, 7, 100]) {
    expect(await read(text, piece)).toEqual([{ a: 'é' }, { a: '5', b: 'true' }, {}, { a: '雪' }])
  }
})

test('members of an object within are known by both names, and lists are parted by semicolons', async () => {
  expect(
    await read('{"company": {"domain": "a.example"}, "tags": ["x", "y", null], "one": ["x"]}'),
  ).toEqual([{ 'company domain': 'a.example', tags: 'x;y', one: 'x' }])
})

test('a list of one with a comma in it stays one', async () => {
  expect(await read('{"tags": ["Foo, Inc"]}')).toEqual([{ tags: 'Foo, Inc;' }])
})

test('objects of a list are told by their address or name', async () => {
  const emails = [{ type: 'work', address: 'a@x.example' }, { email: 'b@x.example' }, { type: 'x' }]
  const technologies = [{ name: 'React', uid: 'react' }, 'Vue', 3]
  expect(await read(JSON.stringify({ emails, technologies }))).toEqual([
    { emails: 'a@x.example;b@x.example', technologies: 'React;Vue;3' },
  ])
})

test('a line that is no object costs itself', async () => {
  const broken = ['{"a": ', '[1]', 'null', '"text"', '7', '{"a": 1} {"b": 2}', '{a: 1}']
  const fault = 'it is not a JSON object'
  expect(await read(['{"a": 1}', ...broken, '{"a": 2}'].join('\n'))).toEqual([
    { a: '1' },
    ...broken.map(() => fault),
    { a: '2' },
  ])
})

test('nesting without end costs its line, and members named like those of every object nothing', async () => {
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  expect(
    await read(`${deep}\n{"a": [{"toString": 1}, "x"]}\n{"__proto__": "x", "b": 1}\n`),
  ).toEqual([
    'it is not a JSON object',
    { a: 'x' },
    Object.fromEntries([
      ['__proto__', 'x'],
      ['b', '1'],
    ]),
  ])
})

test('a line that is not UTF-8 costs itself', async () => {
  const text = Buffer.concat([
    Buffer.from('{"a": "caf\xe9"}\n', 'latin1'),
    Buffer.from('{"a": "café"}\n'),
  ])
  expect(await read(text)).toEqual(["it is not written in the file's encoding", { a: 'café' }])
})

test('a line of a megabyte is read, and one that is longer than any object is skipped', async () => {
  const long = 'x'.repeat(1_000_000)
  const endless = 'x'.repeat(9_000_000)
  expect(await read(`{"a": "${long}"}\n{"a": "${endless}"}\n{"a": 1}\n`, 1 << 18)).toEqual([
    { a: long },
    'it is too long',
    { a: '1' },
  ])
})
