import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { TermLists, type TermNumbers } from '../terms/index.ts'
import type { Company } from './companies.ts'
import { writeCompany } from './company-rows.ts'
import type { FullBatch } from './full-batch.ts'
import { named } from './records.ts'
import { SharedNumbers, SharedTerms, sharedBytes } from './shared-memory.ts'

/** What is said of the companies of a batch, and what their people are found by. */
export class CompanyTelling {
  readonly #rows = new CopyBuffer(1 << 20, sharedBytes)
  readonly #ends = new SharedNumbers()
  readonly #numbers = new SharedNumbers()
  readonly #news = new SharedNumbers()
  readonly #lists = new TermLists()
  readonly #terms = new SharedTerms()

  /** @param numbers of the terms of companies */
  tell(companies: Company[], tail: Buffer, numbers: TermNumbers): FullBatch['companies'] {
    for (const memory of [this.#rows, this.#ends, this.#numbers, this.#news, this.#lists]) {
      memory.clear()
    }
    for (const company of companies) {
      const record = named(company.record)
      writeCompany(this.#rows, company.key, record, tail)
      this.#lists.push(numbers.companyTerms(record))
      this.#lists.end()
      this.#ends.push(this.#rows.length)
      this.#numbers.push(company.number)
      this.#news.push((company.isNew ? 1 : 0) + (company.isTold ? 0 : 2))
      company.isTold = true
      company.isNew = false
    }
    return {
      numbers: this.#numbers.values,
      count: this.#numbers.length,
      news: this.#news.values,
      bytes: this.#rows.slice(),
      ends: this.#ends.values,
      terms: this.#terms.of(numbers.terms, this.#lists),
    }
  }
}
