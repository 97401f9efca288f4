import type { Batch } from './batch.ts'
import { ByteText } from './byte-text.ts'
import { contactColumns, textFields } from './contact-columns.ts'
import type { ContactRow } from './contacts.ts'
import { KnownText } from './known-text.ts'
import { RowView } from './row-view.ts'

/**
 * Makes one of the rows of a batch that are about the same contact.
 *
 * @returns where its contacts are, each once, in the order of their keys: neighbours in the table are
 * then neighbours in the index of keys, which would otherwise cost more than all the rest
 */
export function uniteRepeats(batch: Batch): Uint32Array {
  const rows = batch.rows.read()
  const order = rows.order()
  let count = 0
  for (let from = 0, to = 1; from < order.length; from = to++) {
    const first = order[from] as number
    let contact = first
    for (; to < order.length && rows.hasSameKey(first, order[to] as number); to++) {
      contact = unite(batch, contact, order[to] as number)
    }
    order[count++] = contact
  }
  return order.slice(0, count)
}

/** Of two rows about one contact: what the later one says, and else what the earlier one says. */
function unite(batch: Batch, earlier: number, later: number): number {
  const rows = batch.rows.read()
  const [old, young] = [
    rows.texts(earlier, contactColumns.length),
    rows.texts(later, contactColumns.length),
  ]
  const said = old.map((value, i) => young[i] ?? value)
  const [linkedin_url = null, email = null, email_status = null] = said.slice(-4)
  const texts = textFields.map(({ field }, i) => new KnownText(field, said[i + 1] ?? null))
  const [key, profile, address] = [said[0] ?? null, linkedin_url, email].map(ByteText.of)
  const about = { row: noRow, key, texts, linkedin_url: profile, email: address }
  const has_email = old.at(-1) === '\u0001' || young.at(-1) === '\u0001'
  const place = batch.employer(later) === -1 ? batch.employer(earlier) : batch.employer(later)
  batch.add(batch.rowNumber(later), { ...about, email_status, has_email } as ContactRow, place)
  return batch.size - 1
}

/** What was united is in none. */
const noRow = new RowView()
