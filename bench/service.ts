import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../server/src/config.ts'
import { createKeyAsOperator } from '../server/src/features/keys/index.ts'
import { ensureDefaultWorkspace, setPlan } from '../server/src/features/workspaces/index.ts'
import { createLog } from '../server/src/kernel/log.ts'
import { openServer } from '../server/src/process/open.ts'
import type { FreeContext } from '../server/test/context.ts'

export interface BenchService extends AsyncDisposable {
  ctx: FreeContext
  dataDir: string
  databaseUrl: string
  workspaceId: string
  /** A key with `all:*`. */
  key: string
}

/** The service's own parts on a durable PostgreSQL of their own, as `npm start` opens them. */
export async function openService(): Promise<BenchService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'outrider-bench-'))
  const config = { ...readConfig({ LOG_LEVEL: 'error' }), dataDir }
  const opened = await openServer(config, { log: createLog('error') })
  const ctx = opened.ctx as FreeContext
  const workspace = await ensureDefaultWorkspace(opened.ctx)
  // The rate limit is not what is measured.
  await setPlan(ctx, workspace.id, { rate: 0 })
  const { key } = await createKeyAsOperator(ctx, workspace.id, {
    name: 'bench',
    scopes: ['all:*'],
  })
  return {
    ctx,
    dataDir,
    databaseUrl: opened.databaseUrl,
    workspaceId: workspace.id,
    key,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
