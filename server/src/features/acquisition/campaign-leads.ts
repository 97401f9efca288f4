import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import { addLeads } from '../leads/index.ts'
import type { AddedContacts } from './application-schema.ts'
import { markOptedOut, readListed } from './lists.ts'
import * as queries from './queries.ts'
import type { StoredContact } from './record.ts'

/** Of one list, or these. */
export type SomeAcquired = { list_id: string } | { contact_ids: string[] }

export type ContactsToAdd = { campaign_id: string } & SomeAcquired

type Contacts = { contact: StoredContact; isOptedOut: boolean }[]

/** As many as `addLeads` takes, each chunk in a transaction of its own. */
const chunk = 1000

/**
 * Adds acquired contacts to a campaign as leads; addresses that are suppressed and people who opted
 * out are left out. May be run again: what is in the campaign stays as it is. Where the plan has no
 * room for a later chunk, those before it are in the campaign: the answer tells both.
 *
 * @throws AppError `quota_exceeded` when there is no room for the first chunk
 */
export async function addAcquiredToCampaign(
  ctx: Context,
  workspaceId: string,
  what: ContactsToAdd,
): Promise<AddedContacts> {
  const added = { ...nothing }
  const add = async (contacts: Contacts) => {
    const addThem = (options = {}) =>
      addChunk(ctx, workspaceId, what.campaign_id, contacts, options)
    const leave = async () => asLeft(await addThem({ isDryRun: true }))
    // The rest is only counted, since the next chunk would seldom have room either.
    const counts =
      added.not_added > 0
        ? await leave()
        : await addThem().catch((error: unknown) => {
            if (added.contacts === 0 || !isOverQuota(error)) throw error
            return leave()
          })
    for (const name of counterNames) added[name] += counts[name]
  }
  if ('contact_ids' in what) {
    const ids = [...new Set(what.contact_ids)]
    const contacts = await queries.findAcquired(ctx.db, workspaceId, ids)
    if (contacts.length < ids.length) throw notFound('acquired contact')
    for (let at = 0; at < contacts.length; at += chunk) {
      await add(await markOptedOut(ctx, workspaceId, contacts.slice(at, at + chunk)))
    }
    return added
  }
  let startingAfter: string | undefined
  do {
    const page = await readListed(ctx, workspaceId, what.list_id, { limit: chunk, startingAfter })
    await add(page.items)
    startingAfter = page.next_starting_after
  } while (startingAfter)
  return added
}

const nothing: AddedContacts = {
  contacts: 0,
  leads_uploaded: 0,
  already_in_campaign: 0,
  in_blocklist: 0,
  opted_out: 0,
  not_added: 0,
}
const counterNames = Object.keys(nothing) as (keyof AddedContacts)[]

const isOverQuota = (error: unknown) => error instanceof AppError && error.code === 'quota_exceeded'

/** Who is in the campaign or must not be written to would not have been added for all the room in the plan. */
const asLeft = ({ leads_uploaded, ...counts }: AddedContacts): AddedContacts => ({
  ...counts,
  leads_uploaded: 0,
  not_added: leads_uploaded,
})

async function addChunk(
  ctx: Context,
  workspaceId: string,
  campaignId: string,
  contacts: Contacts,
  options: { isDryRun?: boolean } = {},
): Promise<AddedContacts> {
  const willing = contacts.filter(({ isOptedOut }) => !isOptedOut)
  const counts = { contacts: contacts.length, opted_out: contacts.length - willing.length }
  if (willing.length === 0) return { ...nothing, ...counts }
  const leads = willing.map(({ contact }) => leadOf(contact))
  const input = { campaign_id: campaignId, leads, skip_if_in_workspace: false, overwrite: false }
  const result = await addLeads(ctx, workspaceId, input, options)
  return {
    ...nothing,
    ...counts,
    leads_uploaded: result.leads_uploaded,
    // Two contacts may share an address.
    already_in_campaign: result.duplicated_leads + result.duplicate_email_count,
    in_blocklist: result.in_blocklist,
  }
}

function leadOf({ contact, email }: StoredContact) {
  const { seniority, department, city, country, linkedin_url } = contact
  const variables = { seniority, department, city, country, linkedin_url }
  return {
    email,
    first_name: contact.first_name,
    last_name: contact.last_name,
    company_name: contact.company?.name ?? null,
    company_domain: contact.company?.domain ?? null,
    job_title: contact.title,
    custom_variables: Object.fromEntries(
      Object.entries(variables).filter(([, value]) => value !== null),
    ),
  }
}
