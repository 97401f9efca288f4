import { operator } from '../../src/features/audit/index.ts'
import { addMailbox, type Mailbox } from '../../src/features/mailboxes/index.ts'
import type { Context } from '../../src/kernel/context.ts'
import type { MailServers } from './mail-servers.ts'

/** A mailbox of an account of the test servers, which `ctx.mail` really reaches. */
export function createRealMailbox(
  ctx: Context,
  workspaceId: string,
  servers: Pick<MailServers, 'smtpPort' | 'imapPort'>,
  account: { address: string; password: string },
  more: object = {},
): Promise<Mailbox> {
  const { address, password } = account
  const login = { host: '127.0.0.1', security: 'none', username: address, password }
  return addMailbox(
    ctx,
    workspaceId,
    {
      address,
      smtp: { ...login, port: servers.smtpPort },
      imap: { ...login, port: servers.imapPort },
      ...more,
    },
    operator,
  )
}
