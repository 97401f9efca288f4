import { expect, test } from 'vitest'
import { zonesNamed, zonesWith } from '../src/features/campaigns/schedule/zones.ts'

const zones = zonesWith('Europe/Berlin')

test.each([
  ['New York', 'America/New_York'],
  ['new_york', 'America/New_York'],
  ['america/new', 'America/New_York'],
  ['Mumbai', 'Asia/Kolkata'],
  ['Munich', 'Europe/Berlin'],
  ['são paulo', 'America/Sao_Paulo'],
  ['Germany', 'Europe/Berlin'],
])('a zone is found by what somebody calls it: %s', (search, expected) => {
  expect(zonesNamed(search, zones)[0]).toBe(expected)
})

test('the zones of a country come before those that are only spelt like it', () => {
  const found = zonesNamed('India', zones)
  const [kolkata, indianapolis] = ['Asia/Kolkata', 'America/Indiana/Indianapolis']
  expect(found).toContain(kolkata)
  expect(found.indexOf(kolkata)).toBeLessThan(found.indexOf(indianapolis))
  expect(zonesNamed('Nowhere', zones)).toEqual([])
})
