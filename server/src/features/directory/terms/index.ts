export { buildPages, type NumberedTerms } from './build-pages.ts'
export { ByteStrings } from './byte-strings.ts'
export { ByteTable } from './byte-table.ts'
export { blockSize, type IndexPage, listMax, type Places, placesIn } from './page.ts'
export { TermLists } from './term-lists.ts'
export { TermNumbers } from './term-numbers.ts'
export {
  type CompanyTexts,
  type ContactTexts,
  countMax,
  countTerm,
  type Field,
  hasEmailTerm,
  rangeStarts,
  rangeTerm,
  type Sought,
  soughtIn,
  type Term,
  term,
  termsOf,
  wordKinds,
  wordOf,
} from './terms.ts'
