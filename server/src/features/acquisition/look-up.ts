import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { describeError } from '../../kernel/log.ts'
import { type DirectoryContact, isKnownAddress, listKnownAddresses } from '../directory/index.ts'
import { refuseWhileHeld } from '../sending/index.ts'
import { guessAddress } from './pattern.ts'
import { askProvider } from './provider.ts'
import type { Address } from './record.ts'
import { type EmailStatus, emailStatuses } from './schema.ts'

/**
 * The address of a contact: from the directory; else from the operator's provider, where there is
 * one, and its word is final; else proposed by pattern. Runs outside any transaction.
 */
export async function lookUpAddress(
  ctx: Context,
  workspaceId: string,
  contact: DirectoryContact,
): Promise<Address | undefined> {
  const known = contact.email === null ? undefined : parseEmail(contact.email)
  if (known) {
    return {
      email: known.email,
      email_folded: known.folded,
      email_status: statusOf(contact.email_status),
      confidence: null,
      source: 'directory',
    }
  }
  return ctx.config.acquisitionProvider
    ? lookUpAtProvider(ctx, workspaceId, contact)
    : propose(ctx, contact)
}

const statusOf = (status: string | null): EmailStatus =>
  emailStatuses.find((known) => known === status) ?? 'unknown'

async function lookUpAtProvider(
  ctx: Context,
  workspaceId: string,
  contact: DirectoryContact,
): Promise<Address | undefined> {
  await refuseWhileHeld(ctx)
  const provider = ctx.config.acquisitionProvider
  const { id, first_name, last_name, title, city, country, linkedin_url, company } = contact
  const address =
    provider &&
    (await askProvider(ctx, workspaceId, provider, {
      idempotencyKey: `${workspaceId}:${id}`,
      person: {
        ...{ contact_id: id, first_name, last_name, title, city, country, linkedin_url },
        company: company && { name: company.name, domain: company.domain },
      },
    }))
  return (
    address && {
      email: address.email,
      email_folded: address.folded,
      email_status: address.status,
      confidence: null,
      source: 'provider',
    }
  )
}

/** More addresses of a company would not change what they show. */
const knownMax = 50

async function propose(ctx: Context, contact: DirectoryContact): Promise<Address | undefined> {
  const domain = contact.company?.domain
  if (!domain) return
  const known = await listKnownAddresses(ctx.db, domain, knownMax)
  const guess = guessAddress(contact, domain, known)
  const address = guess && parseEmail(guess.email)
  if (!address || (await isKnownAddress(ctx.db, address.folded))) return
  if (!(await takesMail(ctx, domain))) return
  return {
    email: address.email,
    email_folded: address.folded,
    email_status: 'likely',
    confidence: guess.confidence,
    source: 'pattern',
  }
}

async function takesMail(ctx: Context, domain: string): Promise<boolean> {
  try {
    return (await ctx.lookupMail(domain)).length > 0
  } catch (error) {
    ctx.log.warn(describeError(error), 'the mail servers of a domain could not be looked up')
    return false
  }
}
