import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import {
  type ImapConnection,
  MailFailure,
  type MailServer,
  type SmtpConnection,
} from '../../kernel/mail/index.ts'
import { isUsable, refreshAccessToken } from './access-token.ts'
import { toMailbox } from './mailboxes.ts'
import * as queries from './queries.ts'
import type { Mailbox, MailboxSide } from './schema.ts'
import { openSettings } from './settings.ts'

export interface OpenedMailbox {
  mailbox: Mailbox
  /** Ready for `ctx.mail`. It holds a secret. */
  server: MailServer
  /** The token of its login was made just now: another would be refused as well. */
  isFresh: boolean
  /** As they are stored. */
  settings: Buffer
  /** Another one with every change of the IMAP settings. */
  imap_version: string
}

interface OpenOptions {
  /** An access token that the server has refused: another one is made. */
  refused?: string | undefined
}

/**
 * A mailbox and one of its servers, with what a login takes.
 *
 * @throws MailFailure when the provider of the login gives no access token
 * @throws AppError when there is no such mailbox
 */
export async function openMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
  side: MailboxSide,
  options: OpenOptions = {},
): Promise<OpenedMailbox> {
  let isFresh = false
  for (;;) {
    const row = await queries.selectWithSettings(ctx.db, workspaceId, id)
    if (!row) throw notFound('mailbox')
    const { settings: sealed, imap_version, ...shown } = row
    const { password, oauth2, ...place } = openSettings(ctx, workspaceId, id, sealed)[side]
    const opened = { mailbox: toMailbox(shown), settings: sealed, imap_version }
    if (oauth2 === undefined) {
      const credential = { kind: 'password' as const, password: password ?? '' }
      return { ...opened, server: { ...place, credential }, isFresh: true }
    }
    // Where a new one does not last, or is the old one again, another would not either: the server says so.
    if (oauth2.access && (isFresh || isUsable(ctx, oauth2, options.refused))) {
      const credential = { kind: 'oauth2' as const, accessToken: oauth2.access.token }
      return { ...opened, server: { ...place, credential }, isFresh }
    }
    try {
      isFresh = await refreshAccessToken(ctx, workspaceId, id, oauth2)
    } catch (failure) {
      if (failure instanceof MailFailure) tried.set(failure, { settings: sealed, login: 'oauth2' })
      throw failure
    }
  }
}

/** @throws as openMailbox does, and as `ctx.mail` does */
export const connectMailboxSmtp = (
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<{ mailbox: Mailbox; connection: SmtpConnection }> =>
  connectTo(ctx, workspaceId, id, 'smtp', (server) => ctx.mail.connectSmtp(server))

/** @throws as openMailbox does, and as `ctx.mail` does */
export const connectMailboxImap = (
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<{ mailbox: Mailbox; connection: ImapConnection; imap_version: string }> =>
  connectTo(ctx, workspaceId, id, 'imap', (server) => ctx.mail.connectImap(server))

/** A kept token may have been withdrawn before its time: a login that is refused is tried with a new one. */
async function connectTo<T>(
  ctx: Context,
  workspaceId: string,
  id: string,
  side: MailboxSide,
  connect: (server: MailServer) => Promise<T>,
): Promise<{ mailbox: Mailbox; connection: T; imap_version: string }> {
  const attempt = async ({ mailbox, server, settings, imap_version }: OpenedMailbox) => {
    try {
      return { mailbox, connection: await connect(server), imap_version }
    } catch (error) {
      if (error instanceof MailFailure) {
        tried.set(error, { settings, login: server.credential.kind })
      }
      throw error
    }
  }
  const opened = await openMailbox(ctx, workspaceId, id, side)
  try {
    return await attempt(opened)
  } catch (error) {
    const isRefused =
      error instanceof MailFailure && error.stage === 'login' && error.kind === 'refused'
    if (opened.isFresh || !isRefused) throw error
    const { credential } = opened.server
    const refused = credential.kind === 'oauth2' ? credential.accessToken : undefined
    return await attempt(await openMailbox(ctx, workspaceId, id, side, { refused }))
  }
}

interface Tried {
  /** As they are stored. */
  settings: Buffer
  login: MailServer['credential']['kind']
}

const tried = new WeakMap<MailFailure, Tried>()

/** The mailbox was given other servers, or another login, while this attempt was under way. */
export function isOutdated(failure: MailFailure, settings: Buffer): boolean {
  const known = tried.get(failure)
  return known !== undefined && !known.settings.equals(settings)
}

/** Whether the login was by token: it has no password that could be wrong. */
export const isOfToken = (failure: MailFailure) => tried.get(failure)?.login === 'oauth2'
