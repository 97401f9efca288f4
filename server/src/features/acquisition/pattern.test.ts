import { describe, expect, test } from 'vitest'
import { guessAddress } from './pattern.ts'

const person = (text: string) => {
  const [first_name = '', last_name = ''] = text.split('|')
  return { first_name, last_name }
}
const known = (people: Record<string, string>) =>
  Object.entries(people).map(([name, local]) => ({
    ...person(name),
    email_folded: `${local}@company.example`,
  }))
const guess = (name: string, people: Record<string, string>) =>
  guessAddress(person(name), 'company.example', known(people))

const patterns: [string, string][] = [
  ['first.last', 'grace.hopper'],
  ['flast', 'ghopper'],
  ['first', 'grace'],
  ['firstlast', 'gracehopper'],
  ['f.last', 'g.hopper'],
  ['first_last', 'grace_hopper'],
  ['first-last', 'grace-hopper'],
  ['firstl', 'graceh'],
  ['first.l', 'grace.h'],
  ['last', 'hopper'],
  ['last.first', 'hopper.grace'],
  ['lastfirst', 'hoppergrace'],
  ['lastf', 'hopperg'],
  ['last.f', 'hopper.g'],
  ['last_first', 'hopper_grace'],
]
describe('a pattern is learnt from the addresses that are known', () => {
  test.each(patterns)('%s', (pattern, local) => {
    const write = (first: string, last: string) =>
      pattern.replace(/first|last|f|l/g, (part) =>
        part === 'first'
          ? first
          : part === 'last'
            ? last
            : part === 'f'
              ? `${first[0]}`
              : `${last[0]}`,
      )
    const people = {
      'Ada|Lovelace': write('ada', 'lovelace'),
      'Alan|Turing': write('alan', 'turing'),
      'Edsger|Dijkstra': write('edsger', 'dijkstra'),
    }
    expect(guess('Grace|Hopper', people)).toEqual({
      email: `${local}@company.example`,
      confidence: 0.75,
    })
  })
})

const spelt: [string, string, Record<string, string>][] = [
  ['Jürgen|Müller', 'juergen.mueller', { 'Käthe|Schön': 'kaethe.schoen' }],
  ['Jürgen|Müller', 'jurgen.muller', { 'Käthe|Schön': 'kathe.schon' }],
  ['Ana María|García', 'ana.garcia', { 'Luz Elena|Nuñez': 'luz.nunez' }],
  ['Ana María|García', 'anamaria.garcia', { 'Luz Elena|Nuñez': 'luzelena.nunez' }],
  ['Piet|van der Berg', 'pvanderberg', { 'Jan|de Vries': 'jdevries' }],
  ['Piet|van der Berg', 'pberg', { 'Jan|de Vries': 'jvries' }],
  ['Seán|O’Neill', 'sean.oneill', { 'Aoife|Ní Bhriain': 'aoife.nibhriain' }],
  ['Jean-Luc|Picard', 'jean.picard', { 'Marie-Claire|Dubois': 'marie.dubois' }],
  ['Łukasz|Żółć', 'lukasz.zolc', { 'Søren|Ægir': 'soren.aegir' }],
  ['İpek|Işık', 'ipek.isik', { 'Ada|Lovelace': 'ada.lovelace' }],
]
test.each(spelt)('%s is written %s', (name, local, people) => {
  expect(guess(name, people)?.email).toBe(`${local}@company.example`)
})

test('what fits most decides, and confidence says how much of it fits', () => {
  const people = {
    'Ada|Lovelace': 'ada.lovelace',
    'Alan|Turing': 'alan.turing',
    'Grace|Hopper': 'grace.hopper',
    'Tony|Hoare': 'thoare',
  }
  expect(guess('Barbara|Liskov', people)).toEqual({
    email: 'barbara.liskov@company.example',
    confidence: 0.6,
  })
})

const hopeless: [string, string, Record<string, string>][] = [
  ['no address is known', 'Grace|Hopper', {}],
  ['fewer than half fit', 'Grace|Hopper', { 'Ada|Lovelace': 'ada', 'Alan|Turing': 'boss' }],
  ['no pattern fits', 'Grace|Hopper', { 'Ada|Lovelace': 'countess' }],
  ['the name is in another script', '美咲|山田', { 'Ada|Lovelace': 'ada' }],
  ['the person has one name', 'Grace|', { 'Ada|Lovelace': 'ada' }],
  ['those known have no name', 'Grace|Hopper', { '|': 'info', 'Ada|': 'ada' }],
]
test.each(hopeless)('nothing is proposed where %s', (_why, name, people) => {
  expect(guess(name, people)).toBeUndefined()
})
