import type { Context } from '../../kernel/context.ts'
import { invalidField } from '../../kernel/errors.ts'
import { isLoopback } from '../../kernel/outbound/index.ts'
import type { SealedColumn } from '../../kernel/sealed-columns/index.ts'
import type { MailboxSettings, MailboxSide, ServerChange, ServerSettings } from './schema.ts'

/** Binds sealed settings to their row: copied to another mailbox they do not open. */
export const settingsPurpose = (workspaceId: string, id: string) => `mailbox:${workspaceId}:${id}`

export const sealedMailboxColumns: SealedColumn[] = [
  {
    ...{ table: 'mailboxes', column: 'settings', label: 'mailboxes' },
    key: { workspace_id: 'uuid', id: 'uuid' },
    purpose: ({ workspace_id = '', id = '' }) => settingsPurpose(workspace_id, id),
  },
]

export const sealSettings = (
  { secrets }: Context,
  workspaceId: string,
  id: string,
  settings: MailboxSettings,
): Buffer => secrets.seal(JSON.stringify(settings), settingsPurpose(workspaceId, id))

export const openSettings = (
  { secrets }: Context,
  workspaceId: string,
  id: string,
  sealed: Buffer,
): MailboxSettings => JSON.parse(secrets.open(sealed, settingsPurpose(workspaceId, id)))

/** What a schema cannot say of a server. */
export function checkServer(side: MailboxSide, { password, oauth2 }: ServerSettings): void {
  if ((password === undefined) === (oauth2 === undefined)) {
    throw invalidField(`/${side}/password`, `${side} needs either a password or oauth2`)
  }
  if (oauth2 === undefined) return
  const url = URL.parse(oauth2.token_url)
  if (!url || (url.protocol !== 'https:' && !isLoopback(url.hostname))) {
    throw invalidField(`/${side}/oauth2/token_url`, 'token_url must be an https address')
  }
}

/** A change of one server: a password takes the place of a consent, and the other way round. */
export function changeServer(
  side: MailboxSide,
  stored: ServerSettings,
  change: ServerChange,
): ServerSettings {
  const isCredential = change.password !== undefined || change.oauth2 !== undefined
  if (change.host !== undefined && change.host !== stored.host && !isCredential) {
    // Else who may change a mailbox could have its password sent to a server of their own.
    throw invalidField(`/${side}/password`, `another host of ${side} needs the password again`)
  }
  const { password, oauth2, ...rest } = stored
  const kept = isCredential ? rest : { ...rest, ...(oauth2 ? { oauth2 } : { password }) }
  const changed = { ...kept, ...change } as ServerSettings
  checkServer(side, changed)
  return changed
}
