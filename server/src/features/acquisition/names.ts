import { fold } from '../../kernel/fold.ts'

/** How the letters and words of a name are written in an address. */
export interface Spelling {
  /** `ü` is `u` or `ue`. */
  umlauts: 'plain' | 'german'
  /** Of several first names the first one, or all. */
  first: 'one' | 'all'
  /** Of several last names the last one, or all. */
  last: 'one' | 'all'
}

/** Every spelling, the usual ones first. */
export const spellings: Spelling[] = (['plain', 'german'] as const).flatMap((umlauts) =>
  (['one', 'all'] as const).flatMap((first) =>
    (['all', 'one'] as const).map((last) => ({ umlauts, first, last })),
  ),
)

/**
 * The letters a to z that stand for a name in an address; undefined where a letter of another script
 * would have to be transcribed.
 */
export function spellName(
  firstName: string,
  lastName: string,
  spelling: Spelling,
): { first: string; last: string } | undefined {
  const first = wordsOf(firstName, spelling.umlauts)
  const last = wordsOf(lastName, spelling.umlauts)
  const words = {
    first: spelling.first === 'one' ? (first[0] ?? '') : first.join(''),
    last: spelling.last === 'one' ? (last.at(-1) ?? '') : last.join(''),
  }
  return isLatin(words.first) && isLatin(words.last) ? words : undefined
}

const isLatin = (word: string) => /^[a-z]+$/.test(word)

function wordsOf(name: string, umlauts: Spelling['umlauts']): string[] {
  const german = umlauts === 'german' ? /[äöü]/g : /(?!)/g
  const written = name
    .toLowerCase()
    .normalize('NFC')
    .replace(german, (letter) => `${letter}e`)
  return fold(written)
    .split(/[\s\-‐‑–.]+/u)
    .map((word) => word.replace(/['’ʼ‘`´]/gu, ''))
    .filter((word) => word !== '')
}
