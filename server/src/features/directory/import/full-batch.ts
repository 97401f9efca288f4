import type { RowMemory } from './row-bytes.ts'
import type { TermMemory } from './shared-memory.ts'

/** What the thread that reads hands over of a batch; most of it lies in memory of both. */
export interface FullBatch extends ReadOfBatch {
  /** Counted from 0 in this import. */
  number: number
  /** Nothing follows it. */
  isLast: boolean
  /** The last row of the file that was looked at. */
  lastRow: number
  rejections: Rejection[]
  companies: ToldCompanies
  /** The rows that are about a company alone, and its place. */
  companyRows: { row: number; place: number }[]
  rows: RowMemory
  /** In the file. */
  rowNumbers: Uint32Array
  /** The places of their companies and one; 0 for none. */
  employers: Uint32Array
  /** What its contacts have for their own. */
  terms: TermMemory
}

/** What is found out when nothing more goes into it. */
export interface ReadOfBatch {
  /** Where its contacts are, each once. */
  contacts: Uint32Array
  /** Some of its contacts were seen in an earlier batch, or in the directory. */
  hasOthers: boolean
  /** None of them was, and neither was any in the batches before. */
  isToldApart: boolean
  /** That no batch before it had. */
  words: string[]
  /** Companies that it does not name are told anew when they come again. */
  forgetsOthers: boolean
}

export interface Rejection {
  row: number
  reason: string
}

/** Those that the rows of a batch name, each once. */
interface ToldCompanies {
  /** By which each is known. */
  numbers: Uint32Array
  count: number
  /** 1 where no row named it before and the directory does not have it, and 2 where more is said now. */
  news: Uint32Array
  /** What the rows so far say of it, as `writeCompany` writes it. */
  bytes: Uint8Array
  ends: Uint32Array
  /** What it gives to its people. */
  terms: TermMemory
}
