import { wordsOf } from './fold.ts'

/**
 * What of a text is found by its beginning: its words, and where a script puts no spaces between
 * words every character and every two neighbours.
 */
export function piecesOf(text: string): string[] {
  const words = wordsOf(text)
  if (ascii.test(text)) return words.map(cut)
  return words
    .flatMap(splitByScript)
    .flatMap((run) => (isUnspaced(run) ? [...run, ...neighboursIn(run)] : [cut(run)]))
}

/** The pieces that a text with all these words has, too. */
export interface Sought {
  piece: string
  /** Whether longer words that begin with it are meant as well. */
  asPrefix: boolean
}

/**
 * @param word one of `wordsOf`
 * @returns what has to be there together
 */
export function soughtIn(word: string): Sought[] {
  return splitByScript(word).flatMap((run) => {
    const characters = [...run]
    if (!isUnspaced(run)) return [{ piece: cut(run), asPrefix: characters.length >= prefixMin }]
    const pieces = characters.length === 1 ? characters : neighboursIn(run)
    return pieces.map((piece) => ({ piece, asPrefix: false }))
  })
}

/** One or two letters begin too much to tell anything. */
const prefixMin = 3

const ascii = /^\p{ASCII}*$/u

const cut = (word: string) => (word.length > 48 ? [...word].slice(0, 48).join('') : word)

const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const unspacedRun = new RegExp(`^[${unspaced}]`, 'u')

const splitByScript = (word: string): string[] =>
  ascii.test(word) ? [word] : (word.match(runs) ?? [])
/** Whether it is of a script that puts no spaces between words. */
export const isUnspaced = (run: string) => !ascii.test(run) && unspacedRun.test(run)

function neighboursIn(run: string): string[] {
  const characters = [...run]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
