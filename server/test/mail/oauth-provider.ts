import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MailClient } from '../../src/config.ts'
import type { MailServers } from './mail-servers.ts'

export interface OAuthProvider extends AsyncDisposable {
  /** As it is configured, with the mail servers that its tokens open. */
  client: MailClient
  /** Whether a consent holds longer than its access token. */
  givesRefreshTokens: boolean
  /** A scope that people leave out when they consent. */
  withheld: string | undefined
  /** Takes every consent back that was given. */
  revoke: () => Promise<void>
  /** What a person does there: enters a name and agrees, or with `cancel` does not. @returns where it leads */
  consentAt: (url: string, login: string, options?: { cancel?: boolean }) => Promise<URL>
}

interface Stored {
  jti: string
  destroy: () => Promise<void>
}

/** A real authorization server on loopback, which demands PKCE; its tokens open Anna's mailbox. */
export async function startOAuthProvider(
  servers: MailServers,
  redirectUrl: string,
): Promise<OAuthProvider> {
  const { default: Provider } = await import('oidc-provider')
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const clientId = 'outrider'
  const clientSecret = 'a secret of thirty-two characters'
  const started = { givesRefreshTokens: true, withheld: undefined as string | undefined }
  const provider = new Provider(issuer, {
    clients: [
      {
        ...{ client_id: clientId, client_secret: clientSecret, redirect_uris: [redirectUrl] },
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'client_secret_post',
      },
    ],
    scopes: ['openid', 'email', 'offline_access', 'https://mail.google.com/'],
    pkce: { required: () => true },
    claims: { email: ['email', 'email_verified'] },
    conformIdTokenClaims: false,
    async loadExistingGrant({ oidc }) {
      const id = oidc.result?.consent?.grantId ?? oidc.session?.grantIdFor(clientId)
      const grant = id === undefined ? undefined : await oidc.provider.Grant.find(id)
      if (!grant || started.withheld === undefined) return grant
      grant.rejectOIDCScope(started.withheld)
      await grant.save()
      return grant
    },
    issueRefreshToken: async () => started.givesRefreshTokens,
    findAccount: async (_ctx: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, email: id, email_verified: true }),
    }),
  })
  const consents: Stored[] = []
  provider.on('access_token.saved', (token: unknown) => {
    servers.anna.accessToken = (token as Stored).jti
  })
  provider.on('refresh_token.saved', (token: unknown) => consents.push(token as Stored))
  const answer = provider.callback()
  server.on('request', (request, response) => void answer(request, response))
  const place = (port: number) => ({ host: '127.0.0.1', port, security: 'none' as const })
  return Object.assign(started, {
    client: {
      ...{ clientId, clientSecret, authorizeUrl: `${issuer}/auth`, tokenUrl: `${issuer}/token` },
      servers: { smtp: place(servers.smtpPort), imap: place(servers.imapPort) },
    },
    async revoke() {
      for (const consent of consents.splice(0)) await consent.destroy()
      servers.anna.accessToken = undefined
    },
    consentAt: (url: string, login: string, { cancel = false } = {}) =>
      walk({ issuer, url, login, cancel, until: redirectUrl }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  })
}

/** Through the pages of the server, as a browser that keeps its cookies. */
async function walk(way: {
  issuer: string
  url: string
  login: string
  cancel: boolean
  until: string
}): Promise<URL> {
  const cookies = new Map<string, string>()
  const visit = async (to: string, form?: Record<string, string>) => {
    const response = await fetch(new URL(to, way.issuer), {
      redirect: 'manual',
      headers: { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      cookies.set(name, value)
    }
    await response.text()
    return response.headers.get('location') ?? ''
  }
  let next = await visit(way.url)
  if (way.cancel) next = await visit(await visit(`${next}/abort`))
  const forms = [{ prompt: 'login', login: way.login, password: 'any' }, { prompt: 'consent' }]
  for (const form of forms) {
    if (next.startsWith(way.until)) break
    next = await visit(await visit(next, form))
  }
  return new URL(next)
}
