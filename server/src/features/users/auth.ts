import type { AnyContext } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { createBackupCodes } from './backup-codes.ts'
import { deleteAccess } from './queries.ts'

/**
 * better-auth as a library: passwords, sessions and second factors. None of its own routes is served;
 * routes of ours call `auth.api`.
 */
type Auth = Awaited<ReturnType<typeof createAuth>>

type Plugins = (ctx: AnyContext) => Promise<never[]>

/** Made when somebody signs in or comes with a session: it takes 300 ms to load and 57 MB of memory. */
export const authOf = once(async () => [])

/** Sign-in with the provider of OpenID Connect: apart, so that one that hangs holds up nobody else. */
export const oidcAuthOf = once(oidcPlugin)

function once(plugins: Plugins) {
  const made = new WeakMap<AnyContext['config'], Promise<Auth>>()
  return (ctx: AnyContext): Promise<Auth> => {
    const known = made.get(ctx.config)
    if (known) return known
    const auth = createAuth(ctx, plugins)
    made.set(ctx.config, auth)
    // What failed once may work the next time.
    auth.catch(() => made.delete(ctx.config))
    return auth
  }
}

/** The shortest password, in characters (NIST SP 800-63B-4 §3.1.1.2 asks for 8 beside a second factor). */
export const passwordMin = 12
/** Schemas hold both, by code points. */
export const passwordMax = 256

const sessionSeconds = 14 * 86_400

async function createAuth(ctx: AnyContext, plugins: Plugins) {
  const { betterAuth } = await import('better-auth')
  const { twoFactor } = await import('better-auth/plugins/two-factor')
  const more = await plugins(ctx)
  const times = { createdAt: 'timestamp_created', updatedAt: 'timestamp_updated' }
  return betterAuth({
    appName: 'Outrider',
    baseURL: ctx.config.baseUrl,
    basePath: '/app/auth',
    // What an older key encrypted still opens; sessions that it signed end.
    secrets: authKeys(ctx),
    database: { db: ctx.db, type: 'postgres', transaction: true },
    telemetry: { enabled: false },
    logger: { disabled: true },
    user: {
      modelName: 'users',
      fields: { ...times, emailVerified: 'email_verified' },
      additionalFields: { is_operator: { type: 'boolean', input: false, defaultValue: false } },
    },
    session: {
      modelName: 'user_sessions',
      fields: {
        ...times,
        userId: 'user_id',
        expiresAt: 'timestamp_expires',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
      },
      expiresIn: sessionSeconds,
      // By this people tell which of their sessions is in use; it is written no more often than that.
      updateAge: 300,
    },
    account: {
      updateAccountOnSignIn: false,
      // Anybody may begin, without signing in: that writes nothing here.
      storeStateStrategy: 'cookie',
      modelName: 'user_accounts',
      fields: {
        ...times,
        userId: 'user_id',
        accountId: 'account_id',
        providerId: 'provider_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires',
        refreshTokenExpiresAt: 'refresh_token_expires',
      },
    },
    verification: {
      modelName: 'user_verifications',
      fields: { ...times, expiresAt: 'timestamp_expires' },
      storeIdentifier: 'hashed',
    },
    emailAndPassword: {
      enabled: true,
      // Users are written by statements of ours: set-up, invitations.
      disableSignUp: true,
      minPasswordLength: passwordMin,
      // It counts UTF-16 units, up to two of a character, and would refuse at sign-in what was set.
      maxPasswordLength: 2 * passwordMax,
      ...(ctx.passwords ? { password: ctx.passwords } : {}),
    },
    // `auth.api` knows none: features/sign-in has its own.
    rateLimit: { enabled: false },
    advanced: {
      // A test holds the schema against the migrations; at a start it would cost 140 ms.
      database: { generateId: () => ctx.newId(), validateSchema: false },
      useSecureCookies: ctx.config.baseUrl.startsWith('https:'),
      cookiePrefix: 'outrider',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'strict', path: '/app' },
      // The provider sends the person back from its own site.
      cookies: { oauth_state: { attributes: { sameSite: 'lax' } } },
      // Whole: its cut to 64 bits is for its own limits of attempts, which are off.
      ipAddress: { ipAddressHeaders: ['x-outrider-client'], ipv6Subnet: 128 },
    },
    // Who signed in elsewhere is known by their subject; what the provider would let us do is not kept.
    databaseHooks: {
      account: {
        create: {
          before: async (account) => {
            // Whoever held the link of an invitation may have set the password, and a second factor, and
            // not who owns the address: that is known only now.
            await transaction(ctx, (tx) => deleteAccess(tx.db, account.userId, tx.now()))
            return { data: tokenless(account) }
          },
        },
      },
    },
    plugins: [
      ...more,
      twoFactor({
        issuer: 'Outrider',
        backupCodeOptions: { customBackupCodesGenerate: createBackupCodes },
        schema: {
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
          twoFactor: {
            modelName: 'user_two_factors',
            fields: {
              userId: 'user_id',
              backupCodes: 'backup_codes',
              failedVerificationCount: 'failed_count',
              lockedUntil: 'timestamp_locked_until',
            },
          },
        },
      }),
    ],
  })
}

/** Links an account by an address that both sides call verified, and makes none. */
async function oidcPlugin({ config: { oidc, baseUrl } }: AnyContext): Promise<never[]> {
  if (!oidc) return []
  const { genericOAuth } = await import('better-auth/plugins/generic-oauth')
  const plugin = genericOAuth({
    config: [
      {
        providerId: 'oidc',
        name: oidc.name,
        discoveryUrl: `${oidc.issuer}/.well-known/openid-configuration`,
        clientId: oidc.clientId,
        clientSecret: oidc.clientSecret,
        scopes: ['openid', 'email', 'profile'],
        redirectURI: `${baseUrl}/app/auth/callback/oidc`,
        requireIdTokenVerification: true,
        disableSignUp: true,
        disableImplicitSignUp: true,
      },
    ],
  })
  // It adds no calls of its own to `auth.api`, so its type would only blur that of the others.
  return [plugin] as never[]
}

const tokenless = <T extends object>(account: T) => ({
  ...account,
  ...{ accessToken: null, refreshToken: null, idToken: null },
  ...{ accessTokenExpiresAt: null, refreshTokenExpiresAt: null },
})

/** What better-auth encrypts and signs with: one of each secret key, the newest first. */
export const authKeys = ({ secrets }: Pick<AnyContext, 'secrets'>) =>
  secrets.derive('application sign-in', 32).map((key) => ({
    // Stored with what is encrypted, so it must tell the key and not its place.
    version: sha256(key).readUInt32BE(0),
    value: key.toString('base64'),
  }))
