import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { findCompany } from '../directory/index.ts'
import * as queries from './queries.ts'
import type { AcquiredCompany } from './schema.ts'

/** Only a company of which the workspace acquired somebody. */
export async function getAcquiredCompany(
  ctx: Context,
  workspaceId: string,
  companyId: string,
): Promise<AcquiredCompany> {
  const acquired = await queries.countAcquiredAt(ctx.db, workspaceId, companyId)
  const company = acquired > 0 ? await findCompany(ctx.db, companyId) : undefined
  if (!company) throw notFound('company')
  return { ...company, company_id: company.id, acquired_contacts: acquired }
}
