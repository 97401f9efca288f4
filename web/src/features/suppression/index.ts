export { type SuppressionFilter, suppressionFilterOf } from './filter.ts'
