import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import { buildValidator } from '../../kernel/http/validation.ts'
import { operator, recordAudit } from '../audit/index.ts'
import * as queries from './queries.ts'
import { type Mailbox, type MailboxSettings, NewMailbox } from './schema.ts'

/**
 * Adds a mailbox from what an operator typed, which nothing has checked yet. Its servers are not
 * contacted: the first connection decides whether it stays `connected`.
 */
export async function addMailbox(
  ctx: Context,
  workspaceId: string,
  input: unknown,
): Promise<Mailbox> {
  const { address, display_name, smtp, imap, daily_limit } = validated(input)
  const parsed = parseEmail(address)
  if (!parsed) throw invalidField('/address', 'address must be an e-mail address')
  return transaction(ctx, async (tx) => {
    const id = tx.newId()
    const settings: MailboxSettings = { smtp, imap }
    const row = await queries.insertMailbox(tx.db, {
      workspace_id: workspaceId,
      id,
      address: parsed.email,
      address_folded: parsed.folded,
      display_name: display_name ?? null,
      settings: tx.secrets.seal(JSON.stringify(settings), settingsPurpose(workspaceId, id)),
      daily_limit,
      timestamp_created: tx.now(),
      timestamp_updated: tx.now(),
    })
    if (!row) throw invalidField('/address', 'the workspace has a mailbox of this address already')
    await record(tx, workspaceId, id, 'mailbox.added')
    return toMailbox(row)
  })
}

export async function listMailboxes(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<Mailbox>> {
  const rows = await queries.listMailboxes(ctx.db, workspaceId, page)
  return toPage(rows.map(toMailbox), page.limit)
}

/** Its settings are gone for good; campaigns that name its address go on with their other mailboxes. */
export async function removeMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
): Promise<Mailbox> {
  return transaction(ctx, async (tx) => {
    const row = await queries.deleteMailbox(tx.db, workspaceId, id)
    if (!row) throw notFound('mailbox')
    await record(tx, workspaceId, id, 'mailbox.removed')
    return toMailbox(row)
  })
}

/** Binds sealed settings to their row: copied to another mailbox they do not open. */
export const settingsPurpose = (workspaceId: string, id: string) => `mailbox:${workspaceId}:${id}`

const validate = buildValidator({})({
  schema: NewMailbox,
  method: 'POST',
  url: '',
  httpPart: 'body',
})

function validated(input: unknown): NewMailbox {
  if (typeof input !== 'object' || input === null) {
    throw new AppError('invalid_json', 'A mailbox is described by a JSON object.')
  }
  const result = validate(structuredClone(input)) as { value?: NewMailbox; error?: AppError }
  if (result.value) return result.value
  throw result.error
}

const record = (tx: Context, workspaceId: string, id: string, action: string) =>
  recordAudit(tx, {
    workspaceId,
    actor: operator,
    action,
    subjectType: 'mailbox',
    subjectId: id,
  })

type ShownRow = NonNullable<Awaited<ReturnType<typeof queries.deleteMailbox>>>

const toMailbox = (row: ShownRow): Mailbox => ({ ...row, status: row.status as Mailbox['status'] })
