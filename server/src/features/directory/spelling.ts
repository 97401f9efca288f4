import type { AnyDb } from '../../kernel/db/db.ts'
import { findKnownWords, findSimilarWords, hasTrigrams } from './vocabulary-queries.ts'

/**
 * For a word that none in the directory begins with: those that somebody who wrote it may have meant.
 * One slip of the finger is found, more of them in a longer word where the database has
 * pg_trgm.
 */
export async function respell(db: AnyDb, word: string): Promise<string[]> {
  if (/^[a-z]/.test(word) && word.length < respeltFrom) return []
  const near = await findKnownWords(db, slipsOf(word))
  if (near.length > 0 || word.length < farFrom) return near.slice(0, spellingsMax)
  if (!(await hasTrigrams(db))) return []
  const similar = await findSimilarWords(db, word, candidatesMax)
  return similar.filter((other) => distance(word, other) <= farMax).slice(0, spellingsMax)
}

const spellingsMax = 10
/**
 * A shorter word of Latin letters, an acronym above all, is one letter away from words that have nothing to
 * do with it. In scripts without vowels most names are as short.
 */
const respeltFrom = 5
const candidatesMax = 50
/** In shorter words two slips leave nothing to recognise. */
const farFrom = 6
const farMax = 2

/** Every word that is one letter away: missing, swapped with its neighbour, another, or too many. */
function slipsOf(word: string): string[] {
  const letters = [...word]
  const alphabet = [...(alphabets.find((each) => each.includes(letters[0] ?? '')) ?? '')]
  const slips = new Set<string>()
  const add = (at: number, remove: number, insert: string[]) =>
    slips.add(letters.toSpliced(at, remove, ...insert).join(''))
  for (let at = 0; at <= letters.length; at++) {
    const [here = '', next = ''] = letters.slice(at, at + 2)
    add(at, 1, [])
    add(at, 2, [next, here])
    for (const letter of alphabet) {
      add(at, 1, [letter])
      add(at, 0, [letter])
    }
  }
  slips.delete(word)
  return [...slips].filter((slip) => slip.length >= 3)
}

/** As `fold` leaves them. */
const alphabets = [
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'абвгдежзиклмнопрстуфхцчшщъыьэюяіїєґ',
  'αβγδεζηθικλμνξοπρστυφχψω',
  'אבגדהוזחטיכךלמםנןסעפףצץקרשת',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهويپچژگ',
]

/** How many letters to insert, remove or replace (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next[j] = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1)
    }
    row = next
  }
  return row.at(-1) ?? 0
}
