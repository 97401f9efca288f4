import { beginningOf } from './text.ts'

/**
 * What makes two spellings one: lower case, without accents, vowel points and the like, and with the
 * letters that no decomposition takes apart written out.
 */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(marks, '')
    .replace(undivided, (letter) => plain[letter] ?? letter)
    .normalize('NFC')
}

/** The words of a text as they are compared, in order, with repetitions. */
export function wordsOf(text: string): string[] {
  if (asciiWord.test(text)) return [text.toLowerCase()]
  if (ascii.test(text)) {
    return text.toLowerCase().replace(asciiApostrophes, '').match(asciiWords) ?? []
  }
  return fold(text).replace(apostrophes, '').match(words) ?? []
}

/** A text as one value: words apart by single spaces. `+` and `#` tell C++ and C# from C. */
export function phraseOf(text: string): string {
  if (asciiPhrase.test(text)) return text.toLowerCase().slice(0, phraseCharactersMax)
  const words = fold(text).replace(apostrophes, '').match(phraseWords) ?? []
  return beginningOf(words.join(' '), phraseCharactersMax)
}

const ascii = /^\p{ASCII}*$/u
const asciiWords = /[a-z\d]+/g
const asciiApostrophes = /['`]/g
const asciiWord = /^[a-z\d]+$/i
const asciiPhrase = /^[a-z\d]+(?: [a-z\d]+)*$/i
// Marks of Latin, Greek and Cyrillic; Hebrew points; Arabic vowels, hamza above and below, tatweel. The
// vowel signs of Indic and Thai script are letters to their readers and stay.
const marks =
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u0655\u0670]/g
const undivided = /[ßæœøłđðþıħςىةٱ]/g
const plain: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
  ى: 'ي',
  ة: 'ه',
  ٱ: 'ا',
}
const apostrophes = /['’ʼ‘`´׳״]/g
const words = /[\p{L}\p{N}\p{M}]+/gu
const phraseWords = /[\p{L}\p{N}\p{M}+#]+/gu
const phraseCharactersMax = 60
