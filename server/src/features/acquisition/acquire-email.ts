import type { Context } from '../../kernel/context.ts'
import { AppError, notFound } from '../../kernel/errors.ts'
import type { DirectoryContact } from '../directory/index.ts'
import { costs, readCredits } from './balance.ts'
import { chooseList } from './lists.ts'
import { lookUpAddress } from './look-up.ts'
import type { FoundContact, Settled } from './plan.ts'
import type { StoredContact } from './record.ts'
import { type RevealBatches, type RevealUnderWay, revealBatchesOf } from './reveal-batches.ts'
import type { AcquiredEmail, AcquireEmail } from './schema.ts'

/**
 * Reveals the address of a contact: once charged, free from then on. Nothing is locked while an
 * address is looked up; what was found is settled in one transaction, together with the other
 * reveals of the workspace that arrive at that time.
 */
export async function acquireEmail(
  ctx: Context,
  workspaceId: string,
  input: AcquireEmail,
  requestId: string | null,
): Promise<AcquiredEmail> {
  const list = chooseList(input)
  const batches = revealBatchesOf(ctx, workspaceId)
  return batches.whileRevealing(input.contact_id, async (reveal) => {
    const { contact, acquired, isUnwilling, hasList } = await batches.read({
      contactId: input.contact_id,
      listId: list && 'id' in list ? list.id : undefined,
    })
    if (!hasList) throw notFound('list')
    if (isUnwilling) throw optedOut()
    if (!acquired && !contact) throw notFound('contact')
    if (acquired && !list) {
      const { balance } = await readCredits(ctx, workspaceId)
      return revealed(acquired, { listId: null, creditsCharged: 0, balance })
    }
    const found =
      acquired || !contact
        ? undefined
        : await prepareReveal(ctx, workspaceId, contact, { batches, reveal })
    if (found === 'not_found') {
      return notRevealed(input.contact_id, (await readCredits(ctx, workspaceId)).balance)
    }
    const key = contact?.key
    const settled = await batches.settle({
      ...{ contactId: input.contact_id, key, requestId, list, found },
    })
    return answer(input.contact_id, settled)
  })
}

/** Everything about a contact that can be decided before its credits are locked. */
async function prepareReveal(
  ctx: Context,
  workspaceId: string,
  contact: DirectoryContact,
  { batches, reveal }: { batches: RevealBatches; reveal: RevealUnderWay },
): Promise<FoundContact | 'not_found'> {
  if (!contact.has_email) {
    throw notEligible('This contact has no e-mail address to reveal.')
  }
  // A provider must not be paid for what the workspace cannot pay, be it asked for many at once.
  if (contact.email === null) {
    const { balance } = await readCredits(ctx, workspaceId)
    if (balance < costs.acquire_email) throw noCredits()
    const underWay = ctx.config.acquisitionProvider ? batches.countLookUps() : 0
    if (!reveal.lookUp && balance < (underWay + 1) * costs.acquire_email) throw creditsInUse()
  }
  reveal.lookUp ??= lookUpAddress(ctx, workspaceId, contact)
  const address = await reveal.lookUp
  if (!address) return 'not_found'
  const { first_name, last_name, title, seniority, department, company } = contact
  const { city, country, linkedin_url } = contact
  return {
    ...address,
    company_id: company?.company_id ?? null,
    contact: {
      ...{ first_name, last_name, title, seniority, department, company },
      ...{ city, country, linkedin_url },
    },
  }
}

function answer(contactId: string, settled: Settled): AcquiredEmail {
  switch (settled.kind) {
    case 'acquired':
      return revealed(settled.contact, settled)
    case 'not_found':
      return notRevealed(contactId, settled.balance)
    case 'no_such_list':
      throw notFound('list')
    case 'insufficient_credits':
      throw noCredits()
    case 'opted_out':
      throw optedOut()
    case 'failed':
      throw settled.error
  }
}

const revealed = (
  contact: StoredContact,
  more: { listId: string | null; creditsCharged: number; balance: number },
): AcquiredEmail => ({
  contact_id: contact.contact_id,
  status: 'acquired',
  email: contact.email,
  email_status: contact.email_status,
  confidence: contact.confidence,
  list_id: more.listId,
  credits_charged: more.creditsCharged,
  balance: more.balance,
})

const notRevealed = (contactId: string, balance: number): AcquiredEmail => ({
  contact_id: contactId,
  status: 'not_found',
  email: null,
  email_status: null,
  confidence: null,
  list_id: null,
  credits_charged: 0,
  balance,
})

const notEligible = (message: string) =>
  new AppError('not_eligible', message, { details: [{ path: '/contact_id', message }] })

const optedOut = () =>
  notEligible('This person asked not to be contacted; forget what you have of them.')

const noCredits = () =>
  new AppError('insufficient_credits', 'No credits are left; ask the operator for more.')

const creditsInUse = () =>
  new AppError(
    'insufficient_credits',
    'The credits that are left may be needed for the look-ups under way; ask again after those.',
  )
