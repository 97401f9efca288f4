import { ByteText } from './byte-text.ts'
import type { Columns } from './columns.ts'
import type { Company } from './companies.ts'
import { textFields } from './contact-columns.ts'
import { KnownText, KnownTexts } from './known-text.ts'
import { isPlain, isPlainAddress } from './plain-bytes.ts'
import { contactKey } from './records.ts'
import { RowView } from './row-view.ts'
import {
  blankMax,
  foldAddress,
  readEmailStatus,
  readShownText,
  readSwitch,
  readText,
  Unfit,
} from './values.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A contact as one row tells of it, until the next one is read. */
export interface ContactRow {
  row: RowView
  key: ByteText
  /** In the order of `textFields`. */
  texts: KnownText[]
  linkedin_url: ByteText
  email: ByteText
  email_status: string | null
  /** Whether there is an address, or enough to look for one. */
  has_email: boolean
}

export class ContactReader {
  readonly #at: Columns['at']
  readonly #texts: KnownTexts[]
  readonly #vocabulary: Vocabulary
  readonly #contact: ContactRow = {
    row: new RowView(),
    key: new ByteText(),
    texts: [],
    linkedin_url: new ByteText(),
    email: new ByteText(),
    email_status: null,
    has_email: false,
  }
  /** Of an address, folded. */
  #folded: string | undefined

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
    const contact = this.#contact
    const { key, texts, linkedin_url, email } = contact
    contact.row = row
    for (let i = 0; i < this.#texts.length; i++) texts[i] = (this.#texts[i] as KnownTexts).read(row)
    if (!row.isEmpty(at.full_name) && !texts[0]?.text && !texts[1]?.text) {
      texts.splice(0, 2, ...this.#readNames(row))
    }
    const [first, last] = [texts[0]?.text ?? null, texts[1]?.text ?? null]
    const status = readEmailStatus('email_status', row.text(at.email_status))
    const isFolded = this.#readAddress(row)
    // An address that is known to be wrong is as good as none.
    if (status === 'invalid') email.clear()
    this.#readProfile(row)
    const isOffered = readSwitch('has_email', row.text(at.has_email))
    const canBeLookedFor = first && last && employer?.record.domain && status !== 'invalid'
    if (isFolded && !email.isNull) key.join('e:', email)
    else {
      const folded = email.isNull ? undefined : this.#folded
      key.write(contactKey(folded, linkedin_url.toString(), first, last, employer?.key))
    }
    contact.email_status = email.isNull ? null : (status ?? 'unknown')
    contact.has_email = !email.isNull || (isOffered ?? Boolean(canBeLookedFor))
    return contact
  }

  /** @returns whether it is there as it is compared */
  #readAddress(row: RowView): boolean {
    const { email } = this.#contact
    const column = this.#at.email
    email.clear()
    if (row.isEmpty(column)) return false
    if (isPlainAddress(row.bytes, row.starts[column] as number, row.ends[column] as number)) {
      email.view(row, column)
      return true
    }
    const given = readText('email', row.text(column))
    this.#folded = given === null ? undefined : foldAddress(given)
    if (given !== null && this.#folded === undefined)
      throw new Unfit('email is not an e-mail address')
    email.write(given)
    return false
  }

  #readProfile(row: RowView) {
    const { linkedin_url } = this.#contact
    const column = this.#at.linkedin_url
    linkedin_url.clear()
    if (row.isEmpty(column)) return
    const [start, end] = [row.starts[column] as number, row.ends[column] as number]
    const isUsual = end - start > blankMax && end - start <= profileCharactersMax
    if (isUsual && isPlain(row.bytes, start, end)) linkedin_url.view(row, column)
    else {
      linkedin_url.write(readText('linkedin_url', row.text(column), profileCharactersMax))
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

const profileCharactersMax = 500
