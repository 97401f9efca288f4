import { expect, test } from 'vitest'
import { phraseOf } from './fold.ts'
import { snippetOf } from './text.ts'

test.each([
  [
    'lines and blanks are one space each',
    ' Hi\n\n  Ada,\tthis  is\u00a0it \n',
    'Hi Ada, this is it',
  ],
  ['200 characters are whole', 'a'.repeat(200), 'a'.repeat(200)],
  ['the 201st is cut, and a mark says so', 'a'.repeat(201), `${'a'.repeat(200)}…`],
  ['200 emoji are 200 characters', '😀'.repeat(200), '😀'.repeat(200)],
  ['an emoji is never cut in two', `${'😀'.repeat(200)}a`, `${'😀'.repeat(200)}…`],
  ['nor at the end of what is looked at', `${'a'.repeat(799)}😀`, `${'a'.repeat(200)}…`],
  ['nothing is nothing', ' \n ', ''],
])('a snippet: %s', (_, text, snippet) => {
  expect(snippetOf(text)).toBe(snippet)
})

test('a phrase is never cut within a letter that is a pair', () => {
  expect(phraseOf(`${'é'.repeat(59)}𐐨𐐨`)).toBe('e'.repeat(59))
  expect(phraseOf(`${'é'.repeat(58)}𐐨𐐨`)).toBe(`${'e'.repeat(58)}𐐨`)
})
