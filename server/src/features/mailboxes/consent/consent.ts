import { randomBytes } from 'node:crypto'
import type { ConsentProvider, MailClient } from '../../../config.ts'
import type { Context } from '../../../kernel/context.ts'
import { sha256 } from '../../../kernel/crypto.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { AppError } from '../../../kernel/errors.ts'
import { MailFailure, type RedeemedCode, redeemCode } from '../../../kernel/mail/index.ts'
import type { ChangedBy } from '../../audit/index.ts'
import { addMailbox, findMailboxes, updateMailbox } from '../mailboxes.ts'
import { findMailboxesByAddress } from '../queries.ts'
import { consentFailed, explainError, staleState } from './explain.ts'
import { detailsOf, missingOf, redirectUrlOf, scopesOf, serversOf } from './providers.ts'
import { type ConsentState, openState, type StateOwner, sealState } from './state.ts'

interface Wanted {
  provider: ConsentProvider
  /** To be reconnected. */
  mailboxId?: string | undefined
  /** Whom the provider asks first. */
  address?: string | undefined
}

/** @returns where the owner of a mailbox signs in and consents */
export function beginConsent(
  ctx: Context,
  owner: StateOwner,
  { provider, mailboxId, address }: Wanted,
): string {
  const { clientId, authorizeUrl } = getClient(ctx, provider)
  const hint = parseEmail(address ?? '')?.email
  const verifier = randomBytes(32).toString('base64url')
  const url = new URL(authorizeUrl)
  const parameters = {
    ...detailsOf(provider).parameters,
    ...{ client_id: clientId, redirect_uri: redirectUrlOf(ctx.config), response_type: 'code' },
    ...{ scope: scopesOf(provider).join(' '), ...(hint ? { login_hint: hint } : {}) },
    state: sealState(ctx, owner, { provider, mailboxId, verifier }),
    code_challenge: sha256(verifier).toString('base64url'),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export interface ConsentAnswer {
  state: string
  code?: string | undefined
  error?: string | undefined
  error_description?: string | undefined
}

/**
 * Redeems what the provider sent somebody back with: a new mailbox, or the same one with another login.
 *
 * @returns `isNew`: it was not there before
 * @throws AppError `consent_failed`, which says what to do
 */
export async function finishConsent(
  ctx: Context,
  owner: StateOwner,
  { state: text, code, error, error_description }: ConsentAnswer,
  by: ChangedBy,
): Promise<{ id: string; isNew: boolean }> {
  const state = openState(ctx, owner, text)
  if (!state) throw staleState()
  const { provider } = state
  if (error !== undefined) throw explainError(provider, error, error_description)
  if (code === undefined) throw explainError(provider, 'no code')
  const client = getClient(ctx, provider)
  const redeemed = await redeem(ctx, client, state, code)
  return connect(ctx, owner.workspaceId, { state, client, redeemed }, by)
}

async function redeem(
  ctx: Context,
  { clientId, clientSecret, tokenUrl }: MailClient,
  { provider, verifier }: ConsentState,
  code: string,
): Promise<RedeemedCode> {
  try {
    return await redeemCode(ctx, {
      ...{ token_url: tokenUrl, client_id: clientId, client_secret: clientSecret },
      ...{ redirect_uri: redirectUrlOf(ctx.config), code, code_verifier: verifier },
    })
  } catch (failure) {
    if (!(failure instanceof MailFailure)) throw failure
    const isRefused = failure.kind === 'refused' && failure.response !== null
    throw explainError(provider, isRefused ? String(failure.response) : 'temporarily_unavailable')
  }
}

interface Redeemed {
  state: ConsentState
  client: MailClient
  redeemed: RedeemedCode
}

async function connect(
  ctx: Context,
  workspaceId: string,
  { state: { provider, mailboxId }, client, redeemed }: Redeemed,
  by: ChangedBy,
): Promise<{ id: string; isNew: boolean }> {
  const address = getAddress(client, redeemed.idToken, provider)
  const oauth2 = consentOf(provider, client, redeemed)
  const { smtp, imap } = serversOf(provider, client)
  const login = { username: address.email, oauth2 }
  const servers = { smtp: { ...smtp, ...login }, imap: { ...imap, ...login } }
  const [known] = await findMailboxesByAddress(ctx.db, workspaceId, [address.folded])
  if (mailboxId !== undefined && known?.id !== mailboxId) {
    const [asked] = await findMailboxes(ctx.db, workspaceId, [mailboxId])
    throw asked ? anotherAccount() : wasRemoved()
  }
  if (known) {
    await updateMailbox(ctx, workspaceId, known.id, servers, by)
    return { id: known.id, isNew: false }
  }
  const added = { address: address.email, ...servers }
  const { id } = await addMailbox(ctx, workspaceId, added, by)
  return { id, isNew: true }
}

/** Without the secret of the client: it is taken from the configuration at each use. */
function consentOf(
  provider: ConsentProvider,
  { clientId, tokenUrl }: MailClient,
  { refreshToken, scope }: RedeemedCode,
) {
  const { name, refreshScope } = detailsOf(provider)
  // Where it says nothing it gave what was asked for (RFC 6749 §5.1).
  const missing = scope === null ? [] : missingOf(provider, scope)
  if (missing.length > 0) {
    throw consentFailed(
      `Not everything that Outrider asked for was allowed at ${name}, so the mailbox was not connected.`,
      `Begin again and tick what is named here on the page of ${name}.`,
      missing,
    )
  }
  if (refreshToken === null) {
    throw consentFailed(
      `${name} gave access for an hour only, without a refresh token.`,
      'Remove Outrider from the apps that may use the account there, then begin again.',
    )
  }
  return {
    ...{ token_url: tokenUrl, client_id: clientId, refresh_token: refreshToken },
    ...(refreshScope ? { scope: refreshScope } : {}),
  }
}

/** Who signed in. It came straight from the provider, so its signature says nothing more (OIDC Core §3.1.3.7). */
function getAddress({ clientId }: MailClient, idToken: string | null, provider: ConsentProvider) {
  const { aud, email, preferred_username } = claimsOf(idToken)
  const isOurs = [aud].flat().includes(clientId)
  const address = isOurs && parseEmail(String(email ?? preferred_username ?? ''))
  if (address) return address
  throw consentFailed(
    `${detailsOf(provider).name} did not say which address signed in.`,
    'Begin again and allow what is asked for; if it stays so, connect the mailbox by password.',
  )
}

function claimsOf(idToken: string | null): Record<string, unknown> {
  try {
    const [, payload = ''] = (idToken ?? '').split('.')
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const anotherAccount = () =>
  consentFailed(
    'You signed in with another account than that of this mailbox.',
    'Begin again and choose the account of the mailbox; nothing was changed.',
  )

const wasRemoved = () =>
  consentFailed(
    'The mailbox was removed while you signed in.',
    'Connect it as a new one; it goes on where it was.',
  )

function getClient({ config }: Context, provider: ConsentProvider): MailClient {
  const client = config.mailClients[provider]
  if (client) return client
  const name = provider.toUpperCase()
  throw new AppError(
    'not_ready',
    `No client of ${detailsOf(provider).name} is configured: set ${name}_CLIENT_ID and ${name}_CLIENT_SECRET, or connect the mailbox by password.`,
  )
}
