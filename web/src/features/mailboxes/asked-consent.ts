/** Whose consent was asked for: who comes back without all of it is asked again. */
export interface AskedConsent {
  provider: 'google' | 'microsoft'
  /** Whom the provider asks first. */
  address: string
  /** To be reconnected; undefined: one to be added. */
  mailboxId?: string
}

const nameOf = (userId: string) => `outrider-consent ${userId}`

/** In this tab, which goes to the provider and comes back. */
export function keepAsked(userId: string, asked: AskedConsent) {
  try {
    sessionStorage.setItem(nameOf(userId), JSON.stringify(asked))
  } catch {
    // The browser's storage is full or shut: whoever is asked again begins at the list.
  }
}

export function readAsked(userId: string): AskedConsent | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(nameOf(userId)) ?? '')
  } catch {
    return undefined
  }
}
