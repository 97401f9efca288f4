import type { Columns } from './columns.ts'
import type { Company } from './companies.ts'
import { KnownText, KnownTexts } from './known-text.ts'
import { contactKey } from './records.ts'
import type { RowView } from './row-view.ts'
import {
  foldAddress,
  readEmailStatus,
  readShownText,
  readSwitch,
  readText,
  Unfit,
} from './values.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A contact as one row tells of it. */
export interface ContactRow {
  key: string
  /** In the order of `textFields`. */
  texts: KnownText[]
  linkedin_url: string | null
  email: string | null
  email_status: string | null
  /** Whether there is an address, or enough to look for one. */
  has_email: boolean
}

/** What many rows have in common. */
export const textFields = [
  { name: 'first_name', field: 'name', charactersMax: 255 },
  { name: 'last_name', field: 'name', charactersMax: 255 },
  { name: 'title', field: 'title', charactersMax: 500 },
  { name: 'seniority', field: 'seniority', charactersMax: 255 },
  { name: 'department', field: 'department', charactersMax: 255 },
  { name: 'city', field: 'city', charactersMax: 255 },
  { name: 'country', field: 'country', charactersMax: 255 },
] as const

export class ContactReader {
  readonly #at: Columns['at']
  readonly #texts: KnownTexts[]
  readonly #vocabulary: Vocabulary

  constructor(at: Columns['at'], vocabulary: Vocabulary) {
    this.#at = at
    this.#vocabulary = vocabulary
    this.#texts = textFields.map(
      ({ name, field, charactersMax }) =>
        new KnownTexts(name, field, { column: at[name], charactersMax, vocabulary }),
    )
  }

  /**
   * @param employer the company that the row names
   * @throws Unfit
   */
  read(row: RowView, employer: Company | undefined): ContactRow {
    const at = this.#at
    const texts = this.#texts.map((known) => known.read(row))
    if (!row.isEmpty(at.full_name) && !texts[0]?.text && !texts[1]?.text) {
      texts.splice(0, 2, ...this.#readNames(row))
    }
    const [first, last] = [texts[0]?.text ?? null, texts[1]?.text ?? null]
    const status = readEmailStatus('email_status', row.text(at.email_status))
    const given = readText('email', row.text(at.email))
    const folded = given === null ? undefined : foldAddress(given)
    if (given !== null && folded === undefined) throw new Unfit('email is not an e-mail address')
    // An address that is known to be wrong is as good as none.
    const email = status === 'invalid' ? null : given
    const linkedin = readText('linkedin_url', row.text(at.linkedin_url), 500)
    const isOffered = readSwitch('has_email', row.text(at.has_email))
    const canBeLookedFor = first && last && employer?.record.domain && status !== 'invalid'
    return {
      key: contactKey(email === null ? undefined : folded, linkedin, first, last, employer?.key),
      texts,
      linkedin_url: linkedin,
      email,
      email_status: email === null ? null : (status ?? 'unknown'),
      has_email: email !== null || (isOffered ?? Boolean(canBeLookedFor)),
    }
  }

  /** Where only the whole name is given: its last word is the last name. */
  #readNames(row: RowView): [KnownText, KnownText] {
    const full = readShownText('full_name', row.text(this.#at.full_name), 500) ?? ''
    const space = full.lastIndexOf(' ')
    const [first, last] = [full.slice(0, Math.max(0, space)), full.slice(space + 1)]
    const names = [first || last, first && last].map((name) => new KnownText('name', name || null))
    for (const name of names) this.#vocabulary.note(name.terms)
    return names as [KnownText, KnownText]
  }
}
