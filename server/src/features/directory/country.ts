import { phraseOf } from '../../kernel/fold.ts'
import known from './country-names.json' with { type: 'json' }

/**
 * What a country is compared by: its ISO 3166 code in lower case where it is known by its code or a
 * usual name, else its name.
 */
export function countryOf(text: string): string {
  const name = phraseOf(text)
  codes ??= readCodes()
  return codes.get(name) ?? name
}

/** Read when the first country is asked for. */
let codes: Map<string, string> | undefined

/** As exports write them: in English, or in the language of whoever made them. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl']

function readCodes(): Map<string, string> {
  const found = new Map(Object.entries<string>(known.names))
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
  const regions = letters.flatMap((first) => letters.map((second) => first + second))
  for (const language of languages) {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' })
    for (const region of regions) {
      const name = withdrawn.has(region) ? undefined : names.of(region)
      if (name === undefined) continue
      const code = region.toLowerCase()
      for (const key of [code, phraseOf(name)]) if (!found.has(key)) found.set(key, code)
    }
  }
  return found
}

/** Not countries, or of states that are no more: their names would hide those of today. */
const withdrawn = new Set(known.withdrawn)
