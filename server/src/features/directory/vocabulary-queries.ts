import { sql } from 'kysely'
import type { AnyDb } from '../../kernel/db/db.ts'
import { preparedForAny } from '../../kernel/db/prepared.ts'

export interface CountedTerm {
  /** How many contacts have it, or one that begins with it. */
  contacts: number
  /** Some of those that are meant: five at most. Null: there is none. */
  values: string[] | null
}

// The lateral form reads each range by the key: joined and grouped it took 500 times as long.
const selectCounts = preparedForAny<[string[], string[], string[]], CountedTerm>(
  'count_directory_terms',
  `select t.contacts::integer, t.values
   from unnest($1::text[], $2::text[], $3::"char"[]) with ordinality as w (first, last, kind, at)
   cross join lateral (
     select coalesce(sum(contacts), 0) as contacts, (array_agg(value))[1:5] as values
     from directory_terms
     where value >= w.first and value <= w.last and kind = w.kind) t
   order by w.at`,
)

/** In the order given. */
export async function countTerms(
  db: AnyDb,
  terms: { term: string; asPrefix: boolean }[],
): Promise<CountedTerm[]> {
  const values = terms.map(({ term }) => term.slice(1))
  const lasts = terms.map(({ asPrefix }, at) => values[at] + (asPrefix ? lastCharacter : ''))
  const kinds = terms.map(({ term }) => term.charAt(0))
  return await selectCounts(db, values, lasts, kinds)
}

const lastCharacter = '\u{10ffff}'

const selectKnown = preparedForAny<[string[]], { word: string }>(
  'find_known_words',
  `select w.word
   from unnest($1::text[]) with ordinality as w (word, ordinal)
   where exists (
     select 1
     from directory_terms t
     where t.value >= w.word and t.value <= w.word || chr(1114111) and t.kind in ('n', 't', 'c'))
   order by w.ordinal`,
)

/** Which of the words a word of a name, a title or a company begins with, in the order given. */
export const findKnownWords = async (db: AnyDb, words: string[]): Promise<string[]> =>
  words.length === 0 ? [] : (await selectKnown(db, words)).map((row) => row.word)

/** Whether words can be compared by their trigrams. */
export async function hasTrigrams(db: AnyDb): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('directory_terms_trigrams') is not null as there`.execute(db)
  return rows[0]?.there ?? false
}

/** Words of names, titles and companies, the most similar first. */
export async function findSimilarWords(db: AnyDb, word: string, most: number): Promise<string[]> {
  const { rows } = await sql<{ value: string }>`
    select value
    from directory_terms
    where value % ${word} and kind in ('n', 't', 'c')
    group by value
    order by similarity(value, ${word}) desc, value
    limit ${most}::integer`.execute(db)
  return rows.map((row) => row.value)
}

/** So many more contacts have a term; fewer where the number is negative. */
export async function addTermCounts(db: AnyDb, contacts: Map<string, number>): Promise<void> {
  const terms = [...contacts].filter(([, number]) => number !== 0)
  if (terms.length === 0) return
  await sql`
    insert into directory_terms as t (value, kind, contacts)
    select substr(term, 2), left(term, 1)::"char", contacts
    from unnest(
      ${terms.map(([term]) => term)}::text[],
      ${terms.map(([, number]) => number)}::integer[]
    ) as more (term, contacts)
    order by 1, 2
    on conflict (value, kind) do update
    set contacts = t.contacts + excluded.contacts`.execute(db)
}

/** Counts all terms anew. */
export async function recountTerms(tx: AnyDb): Promise<void> {
  await sql`delete from directory_terms`.execute(tx)
  await sql`
    insert into directory_terms (value, kind, contacts)
    select substr(word, 2), left(word, 1)::"char", ndoc
    from ts_stat('select terms from directory_contacts')
    order by 1, 2`.execute(tx)
}
