export { importSearchOf } from './search.ts'
