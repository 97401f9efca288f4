import type { Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { findCompany } from '../directory/index.ts'
import * as queries from './queries.ts'
import type { AcquiredCompany } from './schema.ts'

/**
 * Only a company of which the workspace acquired somebody. Where the workspace came from another database
 * the directory has the company by another id.
 */
export async function getAcquiredCompany(
  ctx: Context,
  workspaceId: string,
  companyId: string,
): Promise<AcquiredCompany> {
  const acquired = await queries.findAcquiredAt(ctx.db, workspaceId, companyId)
  const company = acquired && (await findCompany(ctx.db, companyId, acquired))
  if (!company) throw notFound('company')
  return { ...company, id: companyId, company_id: companyId, acquired_contacts: acquired.count }
}
