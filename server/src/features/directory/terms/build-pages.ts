import type { ByteStrings } from './byte-strings.ts'
import { type IndexPage, PageWriter, type SortedPlaces as Sorted } from './page.ts'

/** Whom a block has, in ascending order of their places. */
export interface BlockContacts {
  places: ArrayLike<number>
  /** Which of the lists each has for its own. */
  at: ArrayLike<number>
  own: NumberedTerms
  /** Which of the lists each shares with others; -1 for none. */
  group: ArrayLike<number>
  /** Of other kinds than the own ones. */
  shared: NumberedTerms
}

export interface NumberedTerms {
  terms: ByteStrings
  lists: Lists
}

/** The numbers of terms: list `n` ends at `ends[n]`, and begins where the one before it ends. */
interface Lists {
  numbers: Uint32Array
  ends: Uint32Array
}

/** Pages in the order of their terms, each valid until the next one is asked for. */
export function* buildPages(contacts: BlockContacts): Generator<IndexPage> {
  const writer = new PageWriter()
  const sorted = sortByTerm(contacts)
  const split = contacts.own.terms.size
  for (const at of inOrder(contacts, sorted)) {
    const isOwn = at < split
    const { terms } = isOwn ? contacts.own : contacts.shared
    const full = writer.add(terms, isOwn ? at : at - split, sorted, at)
    if (full) yield full
  }
  const last = writer.end()
  if (last) yield last
}

/** Which terms somebody has, in the order of their bytes. No kind is in both: the first byte tells. */
function inOrder({ own, shared }: BlockContacts, { starts, ends }: Sorted): Uint32Array {
  const split = own.terms.size
  const used = (from: number, to: number) => {
    const numbers = new Uint32Array(to - from)
    let count = 0
    for (let at = from; at < to; at++) {
      if ((ends[at] as number) > (starts[at] as number)) numbers[count++] = at - from
    }
    return numbers.subarray(0, count)
  }
  const owned = own.terms.sorted(used(0, split))
  const others = shared.terms.sorted(used(split, ends.length))
  const order = new Uint32Array(owned.length + others.length)
  let [at, otherAt] = [0, 0]
  for (let i = 0; i < order.length; i++) {
    const isOwn =
      otherAt === others.length ||
      (at < owned.length &&
        kindOf(own.terms, owned[at] as number) < kindOf(shared.terms, others[otherAt] as number))
    order[i] = isOwn ? (owned[at++] as number) : split + (others[otherAt++] as number)
  }
  return order
}

const kindOf = (terms: ByteStrings, number: number) => terms.bytes[terms.startOf(number)] as number

/** Shared terms are counted on from the own ones. */
function sortByTerm({ places: of, at, own, group, shared }: BlockContacts): Sorted {
  const split = own.terms.size
  const terms = split + shared.terms.size
  const starts = new Uint32Array(terms + 1)
  for (let i = 0; i < of.length; i++) {
    count(starts, 0, own.lists, at[i] as number)
    if ((group[i] as number) >= 0) count(starts, split, shared.lists, group[i] as number)
  }
  for (let term = 1; term <= terms; term++) {
    starts[term] = (starts[term] as number) + (starts[term - 1] as number)
  }
  const ends = starts.slice(0, terms)
  const places = new Uint16Array(starts[terms] as number)
  const sorted = { places, starts, ends }
  for (let i = 0; i < of.length; i++) {
    const place = of[i] as number
    put(place, sorted, 0, own.lists, at[i] as number)
    if ((group[i] as number) >= 0) put(place, sorted, split, shared.lists, group[i] as number)
  }
  return sorted
}

function count(starts: Uint32Array, first: number, { numbers, ends }: Lists, list: number) {
  const end = ends[list] as number
  for (let i = list === 0 ? 0 : (ends[list - 1] as number); i < end; i++) {
    const next = first + (numbers[i] as number) + 1
    starts[next] = (starts[next] as number) + 1
  }
}

function put(place: number, sorted: Sorted, first: number, lists: Lists, list: number) {
  const { places, starts, ends } = sorted
  const { numbers } = lists
  const last = lists.ends[list] as number
  for (let i = list === 0 ? 0 : (lists.ends[list - 1] as number); i < last; i++) {
    const term = first + (numbers[i] as number)
    const next = ends[term] as number
    if (next > (starts[term] as number) && places[next - 1] === place) continue
    places[next] = place
    ends[term] = next + 1
  }
}
