import { Resolver } from 'node:dns/promises'
import { saysNone } from './failure.ts'

/**
 * The TXT records of a name, each in one piece; none when it has none. Rejects when its name servers
 * give no answer.
 */
export type TextLookupFn = (name: string) => Promise<string[]>

export function createTextLookup(
  makeResolver: () => Resolver = () => new Resolver({ timeout: 1_500, tries: 2 }),
): TextLookupFn {
  return async (name) => {
    try {
      return (await makeResolver().resolveTxt(name)).map((parts) => parts.join(''))
    } catch (error) {
      if (saysNone(error)) return []
      throw error
    }
  }
}
