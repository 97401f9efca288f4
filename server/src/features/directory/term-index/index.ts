export { anyone, type Condition, has, hasBeginning, rangesOf, uniteRanges } from './condition.ts'
export { contactsIn, Matches } from './matches.ts'
export { insertWords, listBlocks, markStale } from './queries.ts'
export { copyBlock, markChanged, markEmployees, rebuildStaleBlocks } from './rebuild.ts'
