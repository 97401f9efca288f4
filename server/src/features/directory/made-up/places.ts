import written from './places.json' with { type: 'json' }

/** Names as they are written, each with how its people spell it in an address: `Юлия/yulia`. */
export interface Place {
  country: string
  cities: string[]
  given: Spelling[]
  family: Spelling[]
  /** What companies there are called after. */
  words: Spelling[]
  /** Behind a company's name. */
  forms: string[]
}

export interface Spelling {
  written: string
  /** Lower case letters of ASCII. */
  latin: string
}

const spellings = (list: string): Spelling[] =>
  list.split(', ').map((entry) => {
    const [written = '', latin] = entry.split('/')
    return { written, latin: latin ?? plain(written) }
  })

/** Accents off, and what has none of its own written out. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/ß/g, 'ss')
    .replace(/[øö]/g, 'o')
    .replace(/æ/g, 'ae')
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .normalize('NFD')
    .replace(/[^a-z]/g, '')

export const places = written.map(
  ({ country, ...lists }): Place => ({
    country,
    cities: lists.cities.split(', '),
    given: spellings(lists.given),
    family: spellings(lists.family),
    words: spellings(lists.words),
    forms: lists.forms.split(', '),
  }),
)
