import type { MailboxSuggestion } from '../../api/generated/types.gen.ts'

type Provider = MailboxSuggestion['provider']

/** Where a provider lets its customers make a password for programs. */
export const passwordPages: Partial<Record<Provider, string>> = {
  google: 'https://myaccount.google.com/apppasswords',
  zoho: 'https://accounts.zoho.com/home#security/app_password',
  fastmail: 'https://app.fastmail.com/settings/security/apps',
  yahoo: 'https://login.yahoo.com/account/security',
  icloud: 'https://account.apple.com/account/manage',
}

/** The provider, if it is one that asks for the owner's consent. */
export const consentOf = (provider: Provider): 'google' | 'microsoft' | undefined =>
  provider === 'google' || provider === 'microsoft' ? provider : undefined
