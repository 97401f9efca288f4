import { describe, expect, test } from 'vitest'
import {
  foldAddress,
  InvalidValue,
  readCount,
  readEmailStatus,
  readList,
  readSwitch,
  readText,
  readYear,
} from './values.ts'

describe('a text', () => {
  test.each([
    ['  Ada \t Lovelace\n', 'Ada Lovelace'],
    ['Zoe\u0308', 'Zoë'],
    ['محمد كريم', 'محمد كريم'],
    ['山田 花子', '山田 花子'],
    ['', null],
    ['   ', null],
    ['N/A', null],
    ['-', null],
    ['Unknown', null],
    [undefined, null],
  ])('%j is read as %j', (text, read) => {
    expect(readText('title', text)).toBe(read)
  })

  test.each([
    ['x'.repeat(256), 'title is longer than 255 characters'],
    ['caf\ufffd', "title is not written in the file's encoding"],
    ['a\0b', 'title has a character that no text has'],
    ['a\ud800b', 'title has a character that no text has'],
  ])('%j is refused', (text, reason) => {
    expect(() => readText('title', text)).toThrow(new InvalidValue(reason))
  })
})

test.each([
  ['1200', 1200],
  ['1,200', 1200],
  ['1.200', 1200],
  ['1 200', 1200],
  ['1’200', 1200],
  ['51-200', 51],
  ['51 – 200 employees', 51],
  ['51 to 200', 51],
  ['10,001+', 10_001],
  ['> 500', 500],
  ['1.2K', 1200],
  ['3M', 3_000_000],
  ['50 Mitarbeiter', 50],
  ['12.0', 12],
  ['Self-employed', 1],
  ['unknown', null],
  ['', null],
])('%j people are %j', (text, count) => {
  expect(readCount('employee_count', text)).toBe(count)
})

test.each(['many', '-5', '1.2.3K', '900000000', '１２'])('%j is not a number of people', (text) => {
  expect(() => readCount('employee_count', text)).toThrow(
    'employee_count is not a number of people',
  )
})

test.each([
  ['1998', 1998],
  ['2004-05-06', 2004],
  ['05/06/2004', 2004],
  ['', null],
])('the year of %j is %j', (text, year) => {
  expect(readYear('founded_year', text)).toBe(year)
})

test.each(['98', 'old', '20040506'])('%j is no year', (text) => {
  expect(() => readYear('founded_year', text)).toThrow('founded_year is not a year')
})

test.each([
  ['a, b ,c', ['a', 'b', 'c']],
  ['a;b, c', ['a', 'b, c']],
  ['a|b', ['a', 'b']],
  ['Foo, Inc;', ['Foo, Inc']],
  ['React; react;;REACT', ['React']],
  ['', []],
])('the list %j is %j', (text, items) => {
  expect(readList('technologies', text)).toEqual(items)
})

test('a list has 200 parts at most', () => {
  const many = Array.from({ length: 300 }, (_, at) => `t${at}`)
  expect(readList('technologies', many.join(';'))).toEqual(many.slice(0, 200))
})

test.each([
  ['true', true],
  ['YES', true],
  ['1', true],
  ['f', false],
  ['no', false],
  ['', null],
])('the switch %j is %j', (text, value) => {
  expect(readSwitch('has_email', text)).toBe(value)
})

test('a switch that is neither is refused', () => {
  expect(() => readSwitch('has_email', 'perhaps')).toThrow('has_email is neither yes nor no')
})

test.each([
  ['Verified', 'verified'],
  ['valid', 'verified'],
  ['deliverable', 'verified'],
  ['97%', 'verified'],
  ['A+', 'verified'],
  ['Likely to engage', 'likely'],
  ['accept_all', 'likely'],
  ['catch-all', 'likely'],
  ['Extrapolated', 'likely'],
  ['unverified', 'likely'],
  ['Not verified', 'likely'],
  ['Email No Longer Verified', 'likely'],
  ['invalid', 'invalid'],
  ['Not valid', 'invalid'],
  ['undeliverable', 'invalid'],
  ['Unavailable', 'invalid'],
  ['do_not_mail', 'invalid'],
  ['New Data Available', 'unknown'],
  ['12', 'unknown'],
  ['', null],
])('the status %j of an address is %j', (text, status) => {
  expect(readEmailStatus('email_status', text)).toBe(status)
})

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['a.b+c@sub.example.com', 'a.b+c@sub.example.com'],
  ['jürgen@müller.example', 'jürgen@xn--mller-kva.example'],
  ['two@at@example.com', undefined],
  ['a..b@example.com', undefined],
  ['ada@localhost', undefined],
  [`${'x'.repeat(65)}@example.com`, undefined],
  ["x'; drop table contacts --@example.com", undefined],
])('the address %j is folded to %j', (text, folded) => {
  expect(foldAddress(text)).toBe(folded)
})
