import type { Config, ConsentProvider, MailClient } from '../../../config.ts'
import { type ServerEndpoint, usualPreset } from '../manage/presets.ts'

/** What a provider of mail has of its own beside RFC 6749. */
interface Provider {
  name: string
  /** Without all of these a mailbox can neither send nor be read; beside each what its page of consent calls it. */
  mailScopes: Record<string, string>
  /** Who signed in, and access that lasts. */
  otherScopes: string[]
  /** Of the address where people consent. */
  parameters: Record<string, string>
  /** Of the request for an access token, where it is needed. */
  refreshScope?: string
}

const microsoftScopes = {
  'https://outlook.office.com/IMAP.AccessAsUser.All':
    'Read and write access to your mail (IMAP.AccessAsUser.All)',
  'https://outlook.office.com/SMTP.Send': 'Send mails from your mailbox (SMTP.Send)',
}

const providers: Record<ConsentProvider, Provider> = {
  google: {
    name: 'Google',
    mailScopes: {
      'https://mail.google.com/':
        'Read, compose, send and permanently delete all your email from Gmail',
    },
    otherScopes: ['openid', 'email'],
    // Only who is asked anew gets a refresh token a second time.
    parameters: { access_type: 'offline', prompt: 'consent' },
  },
  microsoft: {
    name: 'Microsoft',
    mailScopes: microsoftScopes,
    otherScopes: ['openid', 'email', 'profile', 'offline_access'],
    // Asking for the consent itself would be refused where only administrators may give it.
    parameters: { prompt: 'select_account' },
    refreshScope: [...Object.keys(microsoftScopes), 'offline_access'].join(' '),
  },
}

export const consentProviders = Object.keys(providers) as ConsentProvider[]

export const detailsOf = (provider: ConsentProvider): Provider => providers[provider]

export const scopesOf = (provider: ConsentProvider): string[] => {
  const { mailScopes, otherScopes } = providers[provider]
  return [...Object.keys(mailScopes), ...otherScopes]
}

/** What of it somebody left out at the provider, as its page calls it. Microsoft's scopes know no case. */
export function missingOf(provider: ConsentProvider, scope: string): string[] {
  const given = new Set(scope.toLowerCase().split(' '))
  return Object.entries(providers[provider].mailScopes).flatMap(([name, words]) =>
    given.has(name.toLowerCase()) ? [] : [words],
  )
}

/** Where its mailboxes send and are read. */
export function serversOf(
  provider: ConsentProvider,
  { servers }: MailClient,
): { smtp: ServerEndpoint; imap: ServerEndpoint } {
  const endpoints = servers ?? usualPreset(provider)
  if (!endpoints) throw new Error(`No servers of ${provider} are known.`)
  return { smtp: endpoints.smtp, imap: endpoints.imap }
}

/** Where an administrator allows a client for everybody; Google has a page in its console alone. */
export function adminUrlOf(config: Config, provider: ConsentProvider): string | null {
  const client = config.mailClients[provider]
  if (provider !== 'microsoft' || !client) return null
  const url = new URL(client.authorizeUrl.replace(/\/oauth2\/.*$/, '/adminconsent'))
  // Its documentation wants a directory in place of "common".
  url.pathname = url.pathname.replace(/^\/common\//, '/organizations/')
  url.searchParams.set('client_id', client.clientId)
  return url.href
}

/** To be registered with each client, exactly so. */
export const redirectUrlOf = ({ baseUrl }: Config): string => `${baseUrl}/consent`
