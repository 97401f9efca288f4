import { statfs } from 'node:fs/promises'
import type { ProcessContext } from '../kernel/context.ts'
import { startLoop } from '../kernel/runner/loop.ts'
import { findUnreadable } from '../kernel/sealed-columns/index.ts'
import { sealedColumns } from '../sealed-columns.ts'
import { clockJudge } from './judge-clocks.ts'

const lookEveryMs = 15_000
/** Below it PostgreSQL may find no room for its next file of WAL (16 MB) beside what is being written. */
const bytesMin = 64 * 1024 ** 2

/**
 * Looks for what keeps a process from doing its work although it answers, and notes it in
 * `ctx.troubles`, which /ready tells. The first look is over when this resolves.
 */
export async function watchHealth(ctx: ProcessContext, dataDir: string | undefined) {
  const judgeClocks = clockJudge(ctx)
  const look = async () => {
    await judgeClocks()
    // Set by the requests that met it: it lasts for as long as they do.
    note(ctx, 'storage', undefined)
    note(ctx, 'secrets', await findUnreadable(ctx.db, ctx.secrets, sealedColumns))
    note(ctx, 'disk', dataDir === undefined ? undefined : await findLowDisk(dataDir))
  }
  await look()
  const looking = startLoop(ctx, 'health', lookEveryMs, look)
  return { [Symbol.asyncDispose]: looking.stop }
}

function note({ troubles, log }: ProcessContext, name: string, trouble: string | undefined) {
  const told = troubles?.get(name)
  if (trouble === undefined) {
    if (told !== undefined) log.info({ trouble: name }, 'this trouble is over')
    troubles?.delete(name)
    return
  }
  if (told !== trouble) log.error({ trouble: name }, trouble)
  troubles?.set(name, trouble)
}

async function findLowDisk(dataDir: string): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= bytesMin) return undefined
  return `The disk of DATA_DIR ${dataDir} is full: make room, or nothing can be written.`
}
