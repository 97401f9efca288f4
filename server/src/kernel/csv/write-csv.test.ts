import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readCsv } from './read-csv.ts'
import { csvLine, withoutGuard } from './write-csv.ts'

/** What a spreadsheet makes cells of that splits at semicolons: quotes within a line are nothing to it. */
const cellsOf = (text: string) => text.split(/[;\t\r\n]/).map((cell) => cell.replace(/^["\s]+/, ''))

test.each([
  "Acme;=cmd|'/C calc'!A0;",
  "Acme; =cmd|'/C calc'!A0;",
  `Acme;"=cmd|'/C calc'!A0;`,
  "Acme\n=cmd|'/C calc'!A0;",
  "Acme\t@SUM(1+9)*cmd|'/C calc'!A0",
  "a;-2+3+cmd|'/C calc'!A0;+1+cmd|'/C calc'!A0",
])('no spreadsheet runs %j, whatever it splits at', (text) => {
  for (const cell of cellsOf(csvLine(['1', text, '2']))) expect(cell).not.toMatch(/^[=@+-]/)
})

test('numbers are written as they are', () => {
  const numbers = 'Call;+49 (30) 123-4;-12.5;\n+1 2'
  expect(csvLine([numbers])).toBe(`"${numbers}"\r\n`)
})

test('what was written is read as it was', async () => {
  const sign = fc.constantFrom('a', '1', '=', '@', '+', '-', "'", ';', '\t', '\n', '"', ',', ' ')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: sign, minLength: 1 }), async (text) => {
      async function* written() {
        yield Buffer.from(csvLine([text]))
      }
      const rows: string[][] = []
      for await (const read of readCsv(written(), ',')) rows.push(...read)
      expect(rows.map((row) => row.map(withoutGuard))).toEqual([[text]])
    }),
    { examples: [["'=1"], ["a;'=1"], ["a\n''@b"]] },
  )
})
