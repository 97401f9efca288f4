import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createCampaign } from '../server/src/features/campaigns/campaigns.ts'
import { startRole, startScript } from './child.ts'
import { type Figure, percentile } from './figure.ts'
import { openService } from './service.ts'

const rounds = 5

/** Service and bare route take turns, so that a machine that drifts slows both. */
export async function bench(): Promise<Figure[]> {
  await using service = await openService()
  await using api = await startRole('api', service)
  const { id } = await createCampaign(service.ctx, service.workspaceId, { name: 'bench' })
  await using bare = await startScript('bare-server.ts', {
    DATABASE_URL: service.databaseUrl,
    WORKSPACE_ID: service.workspaceId,
  })
  const ours: number[] = []
  const limits: number[] = []
  for (let round = 0; round < rounds; round++) {
    limits.push(await load(`${bare.address}/campaigns/${id}`, service.key))
    ours.push(await load(`${api.address}/api/v2/campaigns/${id}`, service.key))
  }
  const value = percentile(ours, 0.5)
  const limit = percentile(limits, 0.5)
  return [
    {
      name: 'authenticated GET /api/v2/campaigns/{id}',
      value,
      unit: '/s',
      limit: { name: 'bare Fastify route, one prepared select', value: limit },
      target: '≥ 70 % of the limit',
      met: value >= 0.7 * limit,
    },
  ]
}

/** @returns answers a second; with `body` of posts (load-process.ts) */
export const load = async (url: string, key: string, body?: string): Promise<number> =>
  (await loadAndCount(url, key, body)).perSecond

interface Load {
  perSecond: number
  /** Requests of before the second began that is counted are in it, too. */
  answeredInTotal: number
}

/** @throws when a request failed */
export async function loadAndCount(url: string, key: string, body?: string): Promise<Load> {
  const script = fileURLToPath(new URL('load-process.ts', import.meta.url))
  const args = [script, url, key, body === undefined ? '32' : '16', '3', ...(body ? [body] : [])]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const { failed, ...counted } = JSON.parse(stdout) as Load & { failed: number }
  if (failed > 0) throw new Error(`${failed} requests failed`)
  return counted
}
