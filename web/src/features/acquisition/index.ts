export { contactSearchOf } from './contact-search.ts'
