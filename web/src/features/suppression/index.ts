export { suppressionPageSearchOf } from './search.ts'
