// How statements look for a person in what is stored. Columns are named by our own code.
import { type RawBuilder, sql } from 'kysely'
import { patternOf, spellingsInFiles } from './spellings.ts'

/** Who is looked for. */
export interface Person {
  folded: string
  /** Of the address, in lower case. */
  spellings: string[]
  leadIds: string[]
}

const letter = '[[:alnum:]]'

/** Whether a text is the address, however it is written. */
export const is = ({ spellings }: Person, column: string) =>
  sql`lower(${sql.raw(column)}) = any(${spellings}::text[])`

/** Whether a text holds the address, however it is written. */
export function named({ spellings }: Person, column: string) {
  const text = sql.raw(`lower(${column})`)
  const letters = spellings.map((each) => sql`strpos(${text}, ${each}) > 0`)
  // Few texts have the letters of an address in them: those alone are looked at closely.
  return sql`case when ${sql.join(letters, sql` or `)}
    then ${text} ~ ${patternOf(spellings, letter)} else false end`
}

/** A text without the address, however it was written. */
export const erased = ({ spellings }: Person, column: string) =>
  sql`regexp_replace(${sql.raw(column)}, ${patternOf(spellings, letter)}, '[erased]', 'gi')`

/** Whether a part `p` of a file has the person in it, with the beginning of the next one, `n`. */
export function inFile({ spellings }: Person) {
  const { plain, utf16 } = spellingsInFiles(spellings)
  return sql`(${anyInFile(plain)} or ${anyInFile(utf16, utf16Gap)})`
}

/** Longer than an address may be, in UTF-16. */
const addressBytesMax = 640

const content = sql.raw(`lower(encode(
  p.content || coalesce(substring(n.content for ${addressBytesMax}), ''), 'escape'))`)

/**
 * What stands around each place where the letters of a spelling are is looked at: a file is long, and an
 * expression slow. Beyond so many places that are of longer addresses, the person counts as named.
 */
const anyInFile = (spellings: string[], gap = ''): RawBuilder<unknown> =>
  sql.join(
    spellings.map(
      (each) => sql`case when strpos(${content}, ${each}) > 0 then exists (
        select from (
          select piece, place, lead(piece) over (order by place) as next
          from unnest(string_to_array(${content}, ${each})) with ordinality as pieces (piece, place)
        ) around
        where next is not null and (place > ${placesMax} or
          right(piece, ${aroundMax}) || ${each} || left(next, ${aroundMax})
            ~ ${patternOf([each], letter, gap)})) else false end`,
    ),
    sql` or `,
  )

const placesMax = 100

/** Characters on each side of an address, in UTF-16 five for each. */
const aroundMax = 60

/** The zero beside a letter, in an expression. */
const utf16Gap = String.raw`\\000`
