import { type IndexPage, PageWriter } from './page.ts'
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
 * Makes the pages of one block. Terms are numbered as they come, and a text that was seen before in
 * its field costs one look-up.
 */
export class BlockBuilder {
  /** Tells its numbers from those of another. */
  readonly era = {}
  readonly #terms: Term[] = []
  readonly #numbers = new Map<Term, number>()
  readonly #known = Object.fromEntries(
    Object.keys(termsOf).map((field) => [field, new Map()]),
  ) as Record<Field, Map<string, number[]>>
  readonly #postings = new Postings()
  readonly #withEmail = [this.numberOf(hasEmailTerm(true))]
  readonly #withoutEmail = [this.numberOf(hasEmailTerm(false))]

  /** The numbers of the terms of a text. */
  termsOf(field: Field, text: string): number[] {
    let numbers = this.#known[field].get(text)
    if (!numbers) {
      numbers = termsOf[field](text).map((term) => this.numberOf(term))
      this.#known[field].set(text, numbers)
    }
    return numbers
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
    const only = hasEmail ? this.#withEmail : this.#withoutEmail
    if (email === null || (companyDomain && email.endsWith(`@${companyDomain}`))) return only
    return [...only, ...termsOf.address(email).map((term) => this.numberOf(term))]
  }

  /** The numbers of the terms that a company gives to its people. */
  companyTerms(company: CompanyTexts): number[] {
    const { employee_count: employees } = company
    return [
      ...this.#maybe('company', company.name),
      ...this.#maybe('domain', company.domain),
      ...this.#maybe('industry', company.industry),
      ...company.technologies.flatMap((technology) => this.termsOf('technology', technology)),
      ...(employees === null ? [] : employeeTerms(employees).map((term) => this.numberOf(term))),
    ]
  }

  /** @param place greater than or equal to that of the call before */
  add(place: number, numbers: ArrayLike<number>) {
    this.#postings.add(place, numbers)
  }

  /** Those of names, titles and companies, with what a misspelt word is compared. */
  words(): string[] {
    return this.#terms.flatMap((term) => wordOf(term) ?? [])
  }

  build(): IndexPage[] {
    const writer = new PageWriter()
    const { places, starts, ends } = this.#postings.byTerm(this.#terms.length)
    const order = this.#terms.map((term) => term).sort()
    for (const term of order) {
      const number = this.#numbers.get(term) as number
      const [start, end] = [starts[number] as number, ends[number] as number]
      if (end > start) writer.add(term, places, start, end)
    }
    writer.flush()
    return writer.pages
  }

  #maybe = (field: Field, text: string | null) => (text === null ? [] : this.termsOf(field, text))

  /** By which a term is called in this block. */
  numberOf(term: Term): number {
    let number = this.#numbers.get(term)
    if (number === undefined) {
      number = this.#terms.push(term) - 1
      this.#numbers.set(term, number)
    }
    return number
  }
}

/** Pairs of term and place, in the order of the places. */
class Postings {
  // Memory that is not touched costs nothing; one that has to grow leaves as much behind.
  #terms = new Uint32Array(1 << 21)
  #places = new Uint16Array(1 << 21)
  #length = 0

  add(place: number, terms: ArrayLike<number>) {
    while (this.#length + terms.length > this.#terms.length) this.#grow()
    for (let i = 0; i < terms.length; i++) {
      this.#terms[this.#length] = terms[i] as number
      this.#places[this.#length++] = place
    }
  }

  /** The places of term `n` are those from `starts[n]` to `ends[n]`: ascending, each once. */
  byTerm(terms: number) {
    const starts = new Uint32Array(terms + 1)
    for (let i = 0; i < this.#length; i++) {
      const next = (this.#terms[i] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
    for (let term = 1; term <= terms; term++) {
      starts[term] = (starts[term] as number) + (starts[term - 1] as number)
    }
    const ends = starts.slice(0, terms)
    const places = new Uint16Array(this.#length)
    for (let i = 0; i < this.#length; i++) {
      const term = this.#terms[i] as number
      const place = this.#places[i] as number
      const end = ends[term] as number
      if (end > (starts[term] as number) && places[end - 1] === place) continue
      places[end] = place
      ends[term] = end + 1
    }
    return { places, starts, ends }
  }

  #grow() {
    const [terms, places] = [this.#terms, this.#places]
    this.#terms = new Uint32Array(2 * terms.length)
    this.#places = new Uint16Array(2 * places.length)
    this.#terms.set(terms)
    this.#places.set(places)
  }
}
