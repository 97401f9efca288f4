import { buildApi, startRunner } from '../app.ts'
import { hintChannel } from '../features/deliveries/index.ts'
import { fileWitness } from '../features/sending/index.ts'
import type { Context } from '../kernel/context.ts'
import { listen } from '../kernel/db/listen.ts'
import { runnerTimeouts } from '../kernel/db/timeouts.ts'
import { connectDatabase } from './database.ts'
import { atMost } from './deadline.ts'
import { type Listener, listenOn } from './listener.ts'
import type { OpenProcess } from './open.ts'
import { buildRunnerStatus } from './runner-status.ts'

/** `main` is both others in one process, with a database of its own unless DATABASE_URL is set. */
export type Role = 'main' | 'api' | 'runner'

/** What a role does. Disposing answers and delivers what is under way, and starts nothing new. */
export interface Services extends AsyncDisposable {
  /** Where this process answers; undefined when it does not listen. */
  address: string | undefined
}

export async function startServices(role: Role, opened: OpenProcess): Promise<Services> {
  const listener = await startListener(role, opened.ctx)
  const runner = await startRunnerOf(role, opened).catch(async (error) => {
    await listener?.drain()
    throw error
  })
  return {
    address: listener?.address,
    async [Symbol.asyncDispose]() {
      await Promise.all([listener?.drain(), runner?.stop()])
    },
  }
}

async function startListener(role: Role, ctx: Context): Promise<Listener | undefined> {
  const { host, port, runnerPort } = ctx.config
  if (role !== 'runner') return listenOn(await buildApi(ctx), { host, port, variable: 'PORT' })
  if (runnerPort === undefined) return undefined
  return listenOn(buildRunnerStatus(ctx), { host, port: runnerPort, variable: 'RUNNER_PORT' })
}

async function startRunnerOf(role: Role, { ctx, databaseUrl }: OpenProcess) {
  if (role === 'api') return undefined
  const { config, log } = ctx
  // Beside an API it has connections of its own, so that neither has to wait for the other's.
  const own = role === 'main' ? connectDatabase(config, databaseUrl, runnerTimeouts).db : undefined
  const runner = await startRunner(own ? { ...ctx, db: own } : ctx, {
    witness: fileWitness(config.dataDir, config.databaseUrl === undefined),
    // A pooler in transaction mode passes no notifications on; the runner then goes by its poll alone.
    ...(config.databasePrepared
      ? { listen: (onHint) => listen(databaseUrl, hintChannel, onHint, log) }
      : {}),
  }).catch(async (error) => {
    await own?.destroy()
    throw error
  })
  return {
    async stop() {
      await atMost(runnerDrainMs, runner.stop())
      await own?.destroy()
    },
  }
}

/** Longer than a runner lets its requests go on, so that it can give its leases back. */
const runnerDrainMs = 8000
