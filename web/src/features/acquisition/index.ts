export { contactsSearchOf } from './search.ts'
