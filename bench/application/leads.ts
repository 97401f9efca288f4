import { addLeads } from '../../server/src/features/leads/index.ts'
import type { BenchService } from '../service.ts'

export const leadOf = (at: number) => ({
  email: `person${at}@bench.example`,
  first_name: `First ${at}`,
  last_name: `Last ${at % 1000}`,
  company_name: `Company ${at % 5000} Ltd`,
})

export async function insertLeads(
  { ctx, workspaceId }: BenchService,
  campaign_id: string,
  count: number,
): Promise<void> {
  for (let at = 0; at < count; at += 1000) {
    const leads = Array.from({ length: Math.min(1000, count - at) }, (_, n) => leadOf(at + n))
    const input = { campaign_id, leads, overwrite: false, skip_if_in_workspace: false }
    await addLeads(ctx, workspaceId, input)
  }
}
