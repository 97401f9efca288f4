import type { AnyContext } from '../context.ts'
import { describeFailure } from '../db/failure.ts'
import { overMs } from '../troubles.ts'

export interface Loop {
  /** Ends the pause: the next run begins now, or as soon as the running one is over. */
  wake: () => void
  /** Resolves when the last run is over. */
  stop: () => Promise<void>
}

const tellAgainMs = 60_000

/**
 * Runs `runOnce` again and again with a pause between. A run that fails is logged and tried again:
 * no error ends a loop.
 */
export function startLoop(
  ctx: AnyContext,
  name: string,
  pauseMs: number,
  runOnce: (woken: boolean) => Promise<void>,
): Loop {
  let stopped = false
  let woken = false
  let pause = new AbortController()
  const failures = tellFailures(ctx, name)
  const run = async () => {
    while (!stopped) {
      const asked = woken
      woken = false
      try {
        await runOnce(asked)
        failures.end()
      } catch (error) {
        failures.tell(error)
      }
      if (stopped) return
      if (woken) continue
      pause = new AbortController()
      await ctx.sleep(pauseMs, pause.signal)
    }
  }
  const running = run()
  const wake = () => {
    woken = true
    pause.abort()
  }
  return {
    wake,
    stop: () => {
      stopped = true
      pause.abort()
      return running
    },
  }
}

/** Loops run several times a second: while one fails, a line for each run fills disks. */
export function tellFailures(ctx: AnyContext, loop: string) {
  /** By their code, since it was over last. */
  const told = new Map<unknown, { atMs: number; runs: number }>()
  let failedMs = 0
  return {
    tell(error: unknown, ids: Record<string, string> = {}) {
      ctx.troubles?.noteFailure(error)
      const described = describeFailure(error, ctx.config)
      const { shard, cause } = described
      if (ctx.troubles?.noteOutage(error, { loop, code: described.code, shard, cause })) return
      const code = described.code ?? described.error
      const { atMs, runs } = told.get(code) ?? { atMs: Number.NEGATIVE_INFINITY, runs: 0 }
      const nowMs = ctx.monotonicMs()
      failedMs = nowMs
      const isDue = nowMs >= atMs + tellAgainMs
      told.set(code, { atMs: isDue ? nowMs : atMs, runs: runs + 1 })
      if (isDue) {
        ctx.log.error(
          { loop, runs: runs + 1, ...ids, ...described },
          'a run failed and is tried again',
        )
      }
    },
    end() {
      ctx.troubles?.endOutage()
      if (told.size === 0 || ctx.monotonicMs() < failedMs + overMs) return
      const runs = [...told.values()].reduce((sum, each) => sum + each.runs, 0)
      told.clear()
      ctx.log.info({ loop, runs }, 'runs succeed again')
    },
  }
}
