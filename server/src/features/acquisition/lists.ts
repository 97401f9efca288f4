import type { Context } from '../../kernel/context.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import { type Page, type PageRequest, toPage } from '../../kernel/http/page.ts'
import type { ListChoice } from './plan.ts'
import * as queries from './queries.ts'
import { type ListedContact, listedRecord, optedOutRecord } from './record.ts'
import type { AcquiredContact, AcquireEmail, AcquireList } from './schema.ts'
import { findUnwilling } from './unwilling.ts'

export async function listLists(
  ctx: Context,
  workspaceId: string,
  page: PageRequest,
): Promise<Page<AcquireList>> {
  return toPage(await queries.listLists(ctx.db, workspaceId, page), page.limit)
}

export async function listContacts(
  ctx: Context,
  workspaceId: string,
  listId: string,
  page: PageRequest,
): Promise<Page<AcquiredContact>> {
  const { items, ...cursor } = await readListed(ctx, workspaceId, listId, page)
  return {
    items: items.map(({ contact, isOptedOut }) =>
      isOptedOut ? optedOutRecord(contact) : listedRecord(contact),
    ),
    ...cursor,
  }
}

/** A page of a list, and who of it must not be shown or written to. */
export async function readListed(
  ctx: Context,
  workspaceId: string,
  listId: string,
  page: PageRequest,
) {
  const [list] = await queries.findLists(ctx.db, workspaceId, [listId], [])
  if (!list) throw notFound('list')
  const rows = await queries.listContacts(ctx.db, workspaceId, listId, page)
  const { items, ...cursor } = toPage(rows, page.limit)
  return { items: await markOptedOut(ctx, workspaceId, items), ...cursor }
}

/** Who was erased from the workspace is nobody to show or to write to, either. */
export async function markOptedOut<T extends Pick<ListedContact, 'contact_id' | 'email_folded'>>(
  ctx: Context,
  workspaceId: string,
  contacts: T[],
): Promise<{ contact: T; isOptedOut: boolean }[]> {
  const unwilling = await findUnwilling(ctx.db, workspaceId, contacts)
  return contacts.map((contact) => ({ contact, isOptedOut: unwilling.has(contact.contact_id) }))
}

/** The address by which each was acquired, of those who may be shown. */
export async function findShownAddresses(ctx: Context, workspaceId: string, contactIds: string[]) {
  const acquired = await queries.findAcquired(ctx.db, workspaceId, contactIds)
  const marked = await markOptedOut(ctx, workspaceId, acquired)
  const shown = marked.filter(({ isOptedOut }) => !isOptedOut)
  return new Map(shown.map(({ contact }) => [contact.contact_id, contact.email]))
}

/** Which list a request names. Case and white space do not make another name. */
export function chooseList(input: AcquireEmail): ListChoice | undefined {
  const { list_id, list_name } = input
  if (list_id !== undefined && list_name !== undefined) {
    throw invalidField('/list_name', 'Name the list by list_id or by list_name, not by both.')
  }
  if (list_id !== undefined) return { id: list_id }
  return list_name === undefined ? undefined : { name: list_name, folded: foldName(list_name) }
}

const foldName = (name: string) => name.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
