export { BlockBuilder } from './block-builder.ts'
export { anyone, type Condition, has, hasBeginning } from './condition.ts'
export { contactsIn, Matches } from './matches.ts'
export { blockSize } from './page.ts'
export { insertWords, listBlocks, markStale } from './queries.ts'
export { copyBlock, markChanged, markEmployees, rebuildStaleBlocks } from './rebuild.ts'
export { TermLists } from './term-lists.ts'
export {
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
