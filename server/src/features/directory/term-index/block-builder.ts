import { ByteTable } from '../byte-table.ts'
import { type IndexPage, PageWriter } from './page.ts'
import type { TermLists } from './term-lists.ts'
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
 * Makes the pages of blocks. Terms are numbered as they come, and a text that was seen before in its
 * field costs one look-up.
 */
export class BlockBuilder {
  /** Tells its numbers from those of another. */
  readonly era = {}
  readonly #terms = new ByteTable()
  readonly #known = Object.fromEntries(
    Object.keys(termsOf).map((field) => [field, new KnownNumbers()]),
  ) as Record<Field, KnownNumbers>
  readonly #byCount = new Map<number, number[]>()
  readonly #withEmail = [this.numberOf(hasEmailTerm(true))]
  readonly #withoutEmail = [this.numberOf(hasEmailTerm(false))]

  /** For another block another builder is better: it has numbers for many terms that few have. */
  get isLarge(): boolean {
    const sizes = Object.values(this.#known).map(({ size }) => size)
    return Math.max(this.#terms.size, ...sizes) > termsMax
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
    const only = hasEmail ? this.#withEmail : this.#withoutEmail
    if (email === null || (companyDomain && isAt(email, companyDomain))) return only
    return [...only, ...termsOf.address(email).map((term) => this.numberOf(term))]
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
    const terms = this.#terms
    const all = Array.from({ length: terms.size }, (_, number) =>
      terms.bytes.toString('latin1', terms.startOf(number), terms.endOf(number)),
    )
    return all.flatMap((term) => wordOf(term) ?? [])
  }

  /** Pages in the order of their terms, each valid until the next one is asked for. */
  *build(contacts: BlockContacts): Generator<IndexPage> {
    const writer = new PageWriter()
    const terms = this.#terms
    const { places, starts, ends } = sortByTerm(terms.size, contacts)
    const used = Uint32Array.from(ends.keys()).filter(
      (number) => (ends[number] as number) > (starts[number] as number),
    )
    for (const number of terms.sorted(used)) {
      const term = terms.bytes.subarray(terms.startOf(number), terms.endOf(number))
      const full = writer.add(term, places, starts[number] as number, ends[number] as number)
      if (full) yield full
    }
    const last = writer.end()
    if (last) yield last
  }

  #maybe = (field: Field, text: string | null) => (text === null ? [] : this.termsOf(field, text))

  #numbersOf = (terms: Term[]) => terms.map((term) => this.numberOf(term))

  #countTerms(count: number): number[] {
    let numbers = this.#byCount.get(count)
    if (!numbers) {
      numbers = this.#numbersOf(employeeTerms(count))
      this.#byCount.set(count, numbers)
    }
    return numbers
  }

  /** By which a term is called here. */
  numberOf(term: Term): number {
    return this.#terms.numberOfText(term, 'latin1')
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

/** Whom a block has, in ascending order of their places. */
export interface BlockContacts {
  places: ArrayLike<number>
  /** Which of the lists each has for its own. */
  at: ArrayLike<number>
  own: TermLists
  /** Which of the lists each shares with others; -1 for none. */
  group: ArrayLike<number>
  shared: TermLists
}

/** The places of term `n` are those from `starts[n]` to `ends[n]`: ascending, each once. */
function sortByTerm(terms: number, { places: of, at, own, group, shared }: BlockContacts) {
  const starts = new Uint32Array(terms + 1)
  for (let i = 0; i < of.length; i++) {
    count(starts, own, at[i] as number)
    if ((group[i] as number) >= 0) count(starts, shared, group[i] as number)
  }
  for (let term = 1; term <= terms; term++) {
    starts[term] = (starts[term] as number) + (starts[term - 1] as number)
  }
  const ends = starts.slice(0, terms)
  const places = new Uint16Array(starts[terms] as number)
  const sorted = { places, starts, ends }
  for (let i = 0; i < of.length; i++) {
    const place = of[i] as number
    put(place, sorted, own, at[i] as number)
    if ((group[i] as number) >= 0) put(place, sorted, shared, group[i] as number)
  }
  return sorted
}

function count(starts: Uint32Array, { numbers, ends }: TermLists, list: number) {
  const end = ends[list] as number
  for (let i = list === 0 ? 0 : (ends[list - 1] as number); i < end; i++) {
    const next = (numbers[i] as number) + 1
    starts[next] = (starts[next] as number) + 1
  }
}

interface Sorted {
  places: Uint16Array
  starts: Uint32Array
  ends: Uint32Array
}

function put(place: number, sorted: Sorted, lists: TermLists, list: number) {
  const { places, starts, ends } = sorted
  const { numbers } = lists
  const last = lists.ends[list] as number
  for (let i = list === 0 ? 0 : (lists.ends[list - 1] as number); i < last; i++) {
    const term = numbers[i] as number
    const next = ends[term] as number
    if (next > (starts[term] as number) && places[next - 1] === place) continue
    places[next] = place
    ends[term] = next + 1
  }
}
