import { firstSeed, isThorough } from '../../server/test/thoroughness.ts'

const seed = firstSeed(1)
const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g

/** One of the two, chosen by the name and by the commit, so that the next commit gets the other; both in a thorough run. */
export function alternate<T extends string>(name: string, both: readonly [T, T]): readonly T[] {
  const letters = [...name.replaceAll(ids, '')].map((letter) => letter.charCodeAt(0))
  const turn = letters.reduce((sum, letter) => sum + letter, seed)
  return isThorough ? both : [both[turn % 2] as T]
}
