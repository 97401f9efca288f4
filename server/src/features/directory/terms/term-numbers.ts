import { ByteTable } from './byte-table.ts'
import {
  type CompanyTexts,
  type ContactTexts,
  employeeTerms,
  type Field,
  hasEmailTerm,
  type Term,
  termsOf,
  wordOf,
} from './terms.ts'

/**
 * The terms of contacts or of companies, numbered as they come. A text that was seen before in its
 * field costs one look-up.
 */
export class TermNumbers {
  /** Tells its numbers from those of another. */
  readonly era = {}
  readonly terms = new ByteTable()
  readonly #known = Object.fromEntries(
    Object.keys(termsOf).map((field) => [field, new KnownNumbers()]),
  ) as Record<Field, KnownNumbers>
  readonly #byCount = new Map<number, number[]>()
  readonly #hasEmail = new Map<boolean, number[]>()

  /** For another block another one is better: it has numbers for many terms that few have. */
  get isLarge(): boolean {
    const sizes = Object.values(this.#known).map(({ size }) => size)
    return Math.max(this.terms.size, ...sizes) > termsMax
  }

  /** The numbers of the terms of a text. */
  termsOf(field: Field, text: string): number[] {
    return this.#known[field].get(text, () => this.#numbersOf(termsOf[field](text)))
  }

  /** The numbers of a contact's own terms. */
  contactTerms(contact: ContactTexts, companyDomain: string | null = null): number[] {
    const { email, has_email, ...texts } = contact
    return [
      ...this.#maybe('name', texts.first_name),
      ...this.#maybe('name', texts.last_name),
      ...this.#maybe('title', texts.title),
      ...this.#maybe('seniority', texts.seniority),
      ...this.#maybe('department', texts.department),
      ...this.#maybe('city', texts.city),
      ...this.#maybe('country', texts.country),
      ...this.addressTerms(email, has_email, companyDomain),
    ]
  }

  /** An address at the company's own domain is found by the terms of the company. */
  addressTerms(
    email: string | null,
    hasEmail: boolean,
    companyDomain: string | null = null,
  ): number[] {
    const only = this.#emailTerms(hasEmail)
    if (email === null || (companyDomain && isAt(email, companyDomain))) return only
    return [...only, ...this.#numbersOf(termsOf.address(email))]
  }

  /** The numbers of the terms that a company gives to its people. */
  companyTerms(company: CompanyTexts): number[] {
    const { employee_count: employees } = company
    return [
      // Others have other ones: they are not looked up.
      ...this.#numbersOf(company.name === null ? [] : termsOf.company(company.name)),
      ...this.#numbersOf(company.domain === null ? [] : termsOf.domain(company.domain)),
      ...this.#maybe('industry', company.industry),
      ...company.technologies.flatMap((technology) => this.termsOf('technology', technology)),
      ...(employees === null ? [] : this.#countTerms(employees)),
    ]
  }

  /** Those of names, titles and companies, with what a misspelt word is compared. */
  words(): string[] {
    const { terms } = this
    const all = Array.from({ length: terms.size }, (_, number) =>
      terms.bytes.toString('latin1', terms.startOf(number), terms.endOf(number)),
    )
    return all.flatMap((term) => wordOf(term) ?? [])
  }

  /** By which a term is called here. */
  numberOf(term: Term): number {
    return this.terms.numberOfText(term, 'latin1')
  }

  #maybe = (field: Field, text: string | null) => (text === null ? [] : this.termsOf(field, text))

  #numbersOf = (terms: Term[]) => terms.map((term) => this.numberOf(term))

  #emailTerms(hasEmail: boolean): number[] {
    let numbers = this.#hasEmail.get(hasEmail)
    if (!numbers) {
      numbers = [this.numberOf(hasEmailTerm(hasEmail))]
      this.#hasEmail.set(hasEmail, numbers)
    }
    return numbers
  }

  #countTerms(count: number): number[] {
    let numbers = this.#byCount.get(count)
    if (!numbers) {
      numbers = this.#numbersOf(employeeTerms(count))
      this.#byCount.set(count, numbers)
    }
    return numbers
  }
}

/** The numbers of the terms of texts, each told once. */
class KnownNumbers {
  readonly #texts = new ByteTable()
  readonly #numbers: number[][] = []

  get size(): number {
    return this.#numbers.length
  }

  get(text: string, find: () => number[]): number[] {
    const at = this.#texts.numberOfText(text)
    if (at === this.#numbers.length) this.#numbers.push(find())
    return this.#numbers[at] as number[]
  }
}

const termsMax = 70_000

const isAt = (email: string, domain: string) =>
  email.endsWith(domain) && email[email.length - domain.length - 1] === '@'
