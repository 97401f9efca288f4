import type { Context } from '../../kernel/context.ts'
import { untilStored } from '../../kernel/db/until-stored.ts'
import {
  type AccessToken,
  MailFailure,
  type OAuth2Grant,
  requestAccessToken,
  tokenDetail,
  tokenTimeoutMs,
} from '../../kernel/mail/index.ts'
import { isKeptClient } from '../kept-settings/index.ts'
import { findClient } from './mail-clients.ts'
import * as queries from './queries.ts'
import type { MailboxSettings, StoredConsent } from './schema.ts'
import { openSettings, sealSettings } from './settings.ts'

/** A process that died while it asked holds the others up for so long. */
const leaseMs = tokenTimeoutMs + 5_000
const lookEveryMs = 100
/**
 * Beyond the lease, too: another process may have taken it by then, and asked with the token from before. It
 * is refused that, or looks again, and logs in once this one has stored its own.
 */
export const storeTokenForMs = 60_000

/** Tokens that this process is asking for, or storing. */
const underWay = new Set<Promise<boolean>>()

/** Before the database is closed: what a provider has put in the place of a spent token would be lost. */
export async function flushTokens(): Promise<void> {
  while (underWay.size > 0) await Promise.allSettled(underWay)
}

/** Whether the stored access token may be used: not if a server has just refused it. */
export const isUsable = (ctx: Context, { access }: StoredConsent, refused?: string) =>
  access !== undefined &&
  access.token !== refused &&
  Date.parse(access.expires_at) > ctx.now().getTime()

/**
 * Makes a new access token for a mailbox and stores it, with the refresh token that came with it. One
 * process at a time asks for a mailbox: many providers take each refresh token once.
 *
 * @returns false when the stored settings have to be looked at again: another process asked meanwhile,
 *   or somebody changed the consent
 * @throws MailFailure when the provider gives none for the consent that is stored
 */
export function refreshAccessToken(
  ctx: Context,
  workspaceId: string,
  id: string,
  { access: _, ...grant }: StoredConsent,
): Promise<boolean> {
  const refresh = makeToken(ctx, workspaceId, id, grant)
  underWay.add(refresh)
  return refresh.finally(() => underWay.delete(refresh))
}

async function makeToken(
  ctx: Context,
  workspaceId: string,
  id: string,
  grant: OAuth2Grant,
): Promise<boolean> {
  const now = ctx.now()
  const until = new Date(now.getTime() + leaseMs)
  if (!(await queries.takeTokenLease(ctx.db, workspaceId, id, { now, until }))) {
    await ctx.sleep(lookEveryMs)
    return false
  }
  try {
    // Whoever had the lease before may have replaced it after this process had read it.
    if (!(await isStored(ctx, workspaceId, id, grant))) return false
    const token = await requestAccessToken(ctx, withSecret(ctx, grant))
    // The provider takes the token from before no more.
    await untilStored(ctx, storeTokenForMs, () => keep(ctx, workspaceId, id, grant, token))
    return true
  } catch (failure) {
    if (isSpent(failure) && !(await isStored(ctx, workspaceId, id, grant))) return false
    throw failure
  } finally {
    await queries.releaseTokenLease(ctx.db, workspaceId, id, until)
  }
}

/** A consent that was given in the application keeps no secret of its own: the operator may change it. */
function withSecret(ctx: Context, grant: OAuth2Grant): OAuth2Grant {
  const client = findClient(ctx.config, grant)
  if (client) return { ...grant, client_secret: client.clientSecret }
  // Without it the provider would refuse the client, which says nothing of the mailbox.
  if (grant.client_secret === undefined && isKeptClient(ctx, grant)) throw clientNotTold()
  return grant
}

const ofThisProcess = new WeakSet<MailFailure>()

function clientNotTold(): MailFailure {
  const failure = new MailFailure('login', 'protocol', { detail: tokenDetail })
  ofThisProcess.add(failure)
  return failure
}

/** Another process, which was told the client of the mailbox, opens it. */
export const isOfThisProcess = (failure: MailFailure) => ofThisProcess.has(failure)

const isSpent = (failure: unknown) => (failure as MailFailure).response === 'invalid_grant'

async function isStored(ctx: Context, workspaceId: string, id: string, grant: OAuth2Grant) {
  const row = await queries.selectWithSettings(ctx.db, workspaceId, id)
  if (!row) return false
  const settings = openSettings(ctx, workspaceId, id, row.settings)
  return sides.some((side) => isSame(settings[side].oauth2, grant))
}

/** Until it is in the settings: they may be changed at the same time. */
async function keep(
  ctx: Context,
  workspaceId: string,
  id: string,
  grant: OAuth2Grant,
  token: AccessToken,
) {
  for (;;) {
    const row = await queries.selectWithSettings(ctx.db, workspaceId, id)
    if (!row) return
    const settings = openSettings(ctx, workspaceId, id, row.settings)
    const to = sealSettings(ctx, workspaceId, id, withToken(settings, grant, token, ctx.now()))
    if (await queries.replaceSettings(ctx.db, workspaceId, id, { from: row.settings, to })) return
  }
}

const sides = ['smtp', 'imap'] as const

/** On both sides, where both log in by the consent that was asked with. */
function withToken(
  settings: MailboxSettings,
  grant: OAuth2Grant,
  { accessToken, expiresAt, refreshToken }: AccessToken,
  now: Date,
): MailboxSettings {
  const made_at = now.toISOString()
  const access = { token: accessToken, expires_at: expiresAt.toISOString(), made_at }
  const changed = { ...settings }
  for (const side of sides) {
    const { oauth2 } = settings[side]
    if (!isSame(oauth2, grant)) continue
    const consent = { ...oauth2, refresh_token: refreshToken ?? oauth2.refresh_token }
    const isOfScope = oauth2.scope === grant.scope
    changed[side] = { ...settings[side], oauth2: isOfScope ? { ...consent, access } : consent }
  }
  return changed
}

const isSame = (consent: StoredConsent | undefined, grant: OAuth2Grant): consent is StoredConsent =>
  consent !== undefined &&
  consent.token_url === grant.token_url &&
  consent.client_id === grant.client_id &&
  consent.refresh_token === grant.refresh_token
