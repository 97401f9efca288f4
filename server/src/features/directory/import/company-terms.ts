import { type NumberedTerms, TermLists, TermNumbers } from '../terms/index.ts'
import { type NamedCompany, recordOf, type StoredCompany } from './named-companies.ts'
import type { ReadBatch } from './read-batch.ts'
import { named } from './records.ts'
import { isFoundAlike } from './write-companies.ts'

/** What the companies of a batch give to their people to be found by. */
export function companyTerms(
  batch: ReadBatch,
  stored: (StoredCompany | undefined)[],
): NumberedTerms {
  const isAsTold = batch.companies.every((company, at) => {
    const record = stored[at]?.record
    return !record || isFoundAlike(record, named(recordOf(company)))
  })
  return isAsTold ? batch.companyTerms : termsOfStored(batch.companies, stored)
}

/** More is known of some than the file says. */
function termsOfStored(
  companies: NamedCompany[],
  stored: (StoredCompany | undefined)[],
): NumberedTerms {
  const [numbers, lists] = [new TermNumbers(), new TermLists()]
  for (const [at, company] of companies.entries()) {
    lists.push(numbers.companyTerms(stored[at]?.record ?? named(recordOf(company))))
    lists.end()
  }
  return { terms: numbers.terms, lists }
}
