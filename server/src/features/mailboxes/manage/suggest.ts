import type { Context } from '../../../kernel/context.ts'
import { parseEmail } from '../../../kernel/email.ts'
import { invalidField } from '../../../kernel/errors.ts'
import { findMailboxesByAddress } from '../queries.ts'
import { findPreset, type Provider, type ServerEndpoint } from './presets.ts'

export interface Suggestion {
  address: string
  provider: Provider
  /** Whether its domain has mail servers; null: its name servers gave no answer. */
  takes_mail: boolean | null
  smtp: ServerEndpoint | null
  imap: ServerEndpoint | null
  /** The workspace has a mailbox of this address. */
  mailbox_id: string | null
}

/** What is known of an address before anybody has logged in. */
export async function suggestServers(
  ctx: Context,
  workspaceId: string,
  text: string,
): Promise<Suggestion> {
  const email = parseEmail(text)
  if (!email) throw invalidField('/address', 'address must be an e-mail address')
  const [mailbox] = await findMailboxesByAddress(ctx.db, workspaceId, [email.folded])
  const servers = await ctx.lookupMail(email.domain).catch(() => undefined)
  const found = findPreset(servers ?? [])
  return {
    address: email.email,
    provider: found?.provider ?? 'other',
    takes_mail: servers ? servers.length > 0 : null,
    smtp: found?.preset.smtp ?? null,
    imap: found?.preset.imap ?? null,
    mailbox_id: mailbox?.id ?? null,
  }
}
