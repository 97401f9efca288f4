import type { KnownAddress } from '../directory/index.ts'
import { type Spelling, spellings, spellName } from './names.ts'

export type Person = Pick<KnownAddress, 'first_name' | 'last_name'>

export interface Guess {
  email: string
  /** 0 to 1: how many of the known addresses are made like this, one unknown dissenter allowed for. */
  confidence: number
}

/**
 * The address that a person of the company most likely has, by the pattern of the addresses that are
 * known there. None where no pattern holds for at least half, or where the name cannot be written in
 * ASCII. It may be somebody else's.
 */
export function guessAddress(
  person: Person,
  domain: string,
  known: KnownAddress[],
): Guess | undefined {
  const learned = learnScheme(known)
  if (!learned || learned.confidence < leastConfidence) return
  const name = spell(person, learned.scheme.spelling)
  if (!name) return
  const email = `${learned.scheme.build(name.first, name.last)}@${domain}`
  return { email, confidence: learned.confidence }
}

const leastConfidence = 0.5

type Build = (first: string, last: string) => string

/** The usual ones first: they win where the known addresses do not tell them apart. */
const patterns: Build[] = [
  (first, last) => `${first}.${last}`,
  (first, last) => `${first[0]}${last}`,
  (first) => first,
  (first, last) => `${first}${last}`,
  (first, last) => `${first[0]}.${last}`,
  (first, last) => `${first}_${last}`,
  (first, last) => `${first}-${last}`,
  (first, last) => `${first}${last[0]}`,
  (first, last) => `${first}.${last[0]}`,
  (_first, last) => last,
  (first, last) => `${last}.${first}`,
  (first, last) => `${last}${first}`,
  (first, last) => `${last}${first[0]}`,
  (first, last) => `${last}.${first[0]}`,
  (first, last) => `${last}_${first}`,
]

interface Scheme {
  build: Build
  spelling: Spelling
}

/** The scheme that explains most of the known addresses. */
function learnScheme(known: KnownAddress[]): { scheme: Scheme; confidence: number } | undefined {
  const people = known.flatMap((address) => {
    const names = spellings.map((spelling) => spell(address, spelling))
    const local = address.email_folded.slice(0, address.email_folded.lastIndexOf('@'))
    return names.some(Boolean) ? [{ local, names }] : []
  })
  let best: { scheme: Scheme; matches: number } | undefined
  for (const [at, spelling] of spellings.entries()) {
    for (const build of patterns) {
      const matches = people.filter(({ local, names }) => {
        const name = names[at]
        return name && build(name.first, name.last) === local
      }).length
      if (matches > (best?.matches ?? 0)) best = { scheme: { build, spelling }, matches }
    }
  }
  if (!best) return
  const confidence = Math.round((100 * best.matches) / (people.length + 1)) / 100
  return { scheme: best.scheme, confidence }
}

const spell = ({ first_name, last_name }: Person, spelling: Spelling) =>
  first_name && last_name ? spellName(first_name, last_name, spelling) : undefined
