/** Whose consent was asked for: who comes back without all of it is asked again. */
export interface AskedConsent {
  provider: 'google' | 'microsoft'
  /** Whom the provider asks first. */
  address: string
  /** To be reconnected; undefined: one to be added. */
  mailboxId?: string
}

const key = 'outrider-consent'

/** Of this tab, which goes to the provider and comes back. */
export const keepAsked = (asked: AskedConsent) => sessionStorage.setItem(key, JSON.stringify(asked))

export function readAsked(): AskedConsent | undefined {
  const kept = sessionStorage.getItem(key)
  return kept === null ? undefined : (JSON.parse(kept) as AskedConsent)
}
