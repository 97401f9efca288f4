export { type SuppressionFilter, suppressionSearchOf } from './search.ts'
