import type { Context } from '../../kernel/context.ts'
import { sha256 } from '../../kernel/crypto.ts'

/**
 * better-auth as a library: passwords, sessions and second factors. None of its own routes is served;
 * routes of ours call `auth.api`.
 */
export type Auth = Awaited<ReturnType<typeof createAuth>>

const made = new WeakMap<Context['config'], Promise<Auth>>()

/** Made when somebody signs in or comes with a session: it takes 300 ms to load and 57 MB of memory. */
export function authOf(ctx: Context): Promise<Auth> {
  const auth = made.get(ctx.config) ?? createAuth(ctx)
  made.set(ctx.config, auth)
  return auth
}

/** The shortest password, in characters (NIST SP 800-63B-4 §3.1.1.2 asks for 8 beside a second factor). */
export const passwordMin = 12
export const passwordMax = 256

const sessionSeconds = 14 * 86_400

async function createAuth(ctx: Context) {
  const { betterAuth } = await import('better-auth')
  const { twoFactor } = await import('better-auth/plugins/two-factor')
  const times = { createdAt: 'timestamp_created', updatedAt: 'timestamp_updated' }
  return betterAuth({
    appName: 'Outrider',
    baseURL: ctx.config.baseUrl,
    basePath: '/app/auth',
    // What an older key encrypted still opens; sessions that it signed end.
    secrets: ctx.secrets.derive('application sign-in', 32).map(versioned),
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
      updateAge: 86_400,
    },
    account: {
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
      maxPasswordLength: passwordMax,
    },
    // `auth.api` knows none: features/sign-in has its own.
    rateLimit: { enabled: false },
    advanced: {
      // A test holds the schema against the migrations; at a start it would cost 140 ms.
      database: { generateId: () => ctx.newId(), validateSchema: false },
      useSecureCookies: ctx.config.baseUrl.startsWith('https:'),
      cookiePrefix: 'outrider',
      defaultCookieAttributes: { httpOnly: true, sameSite: 'strict', path: '/app' },
      ipAddress: { ipAddressHeaders: ['x-outrider-client'] },
    },
    plugins: [
      twoFactor({
        issuer: 'Outrider',
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

/** The number is stored with what is encrypted, so it must tell the key and not its place. */
const versioned = (key: Buffer) => ({
  version: sha256(key).readUInt32BE(0),
  value: key.toString('base64'),
})
