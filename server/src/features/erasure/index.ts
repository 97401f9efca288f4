export { type Erased, eraseLead } from './erase.ts'
