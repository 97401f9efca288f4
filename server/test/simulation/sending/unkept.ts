import type pg from 'pg'
import type { MailProviders } from './mail-providers.ts'

interface Facts {
  folders: { address: string; folder: string; uid_validity: string; next_uid: number }[]
  /** Message-IDs of what came in and is kept. */
  kept: string[]
  /** Message-IDs that mails are known by which are not kept. */
  unfounded: number
}

const text = `
  select
    (select coalesce(json_agg(f), '[]') from (
      select m.address, f.folder, f.uid_validity, f.next_uid from mailbox_folders f
      join mailboxes m on m.workspace_id = f.workspace_id and m.id = f.mailbox_id
      order by m.address, f.folder) f) as folders,
    (select coalesce(json_agg(message_id), '[]') from messages where direction = 'in') as kept,
    (select count(*)::int from message_ids i
      where not exists (select from messages m where m.id = i.message_id)) as unfounded`

/** Letters that nobody will read any more, and mails that are only known of. */
export async function findUnkept(
  admin: pg.Client,
  providers: MailProviders,
  letters: ReadonlyMap<string, unknown>,
): Promise<string[]> {
  const { rows } = await admin.query<Facts>({ name: 'find_unkept', text })
  const [facts] = rows
  if (!facts) return []
  const passed = facts.folders.flatMap(({ address, folder, uid_validity, next_uid }) => {
    const where = providers.account(address).folders.find(({ path }) => path === folder)
    if (!where || String(where.uidValidity) !== uid_validity) return []
    return where.mails.flatMap(({ uid, messageId }) =>
      uid < next_uid && letters.has(messageId) && !facts.kept.includes(messageId)
        ? [`${folder} of ${address} was read past ${messageId}, which is not kept`]
        : [],
    )
  })
  const { unfounded } = facts
  return unfounded === 0 ? passed : [...passed, `${unfounded} mails are known of and not kept`]
}
