import { expect, test } from 'vitest'
import { patternOf, spellingsOf } from './spellings.ts'

const pattern = new RegExp(patternOf(spellingsOf('ada@lead.example'), '[a-z0-9]'), 'i')

test.each([
  'ada@lead.example',
  '<Ada@Lead.Example>',
  String.raw`{"text":"Ask\nada@lead.example."}`,
  String.raw`{"from":"Ada \u003cada@lead.example\u003e"}`,
  'mailto:%20ada@lead.example?subject=x',
  '- ada@lead.example, -ada@lead.example-',
])('the address is in %s', (text) => {
  expect(pattern.test(text)).toBe(true)
})

test.each([
  'joada@lead.example',
  'jo.ada@lead.example',
  'jo+ada@lead.example',
  'ada@lead.example.org',
  'ada@lead.examples',
  'ada@lead.example-x.org',
])('another address, %s, is not it', (text) => {
  expect(pattern.test(text)).toBe(false)
})
