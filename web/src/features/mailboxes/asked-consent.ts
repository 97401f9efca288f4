import { readStored, writeStored } from '../../lib/browser-storage.ts'

/** Whose consent was asked for: who comes back without all of it is asked again. */
export interface AskedConsent {
  provider: 'google' | 'microsoft'
  /** Whom the provider asks first. */
  address: string
  /** To be reconnected; undefined: one to be added. */
  mailboxId?: string
}

const nameOf = (userId: string) => `outrider-consent ${userId}`

/** In this tab, which goes to the provider and comes back. Without it whoever is asked again begins at the list. */
export const keepAsked = (userId: string, asked: AskedConsent) =>
  writeStored(nameOf(userId), JSON.stringify(asked), 'sessionStorage')

export function readAsked(userId: string): AskedConsent | undefined {
  const kept = readStored(nameOf(userId), 'sessionStorage')
  return kept === null ? undefined : JSON.parse(kept)
}
