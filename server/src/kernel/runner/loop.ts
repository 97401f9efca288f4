import type { AnyContext } from '../context.ts'
import { describeError } from '../log.ts'

export interface Loop {
  /** Ends the pause: the next run begins now, or as soon as the running one is over. */
  wake: () => void
  /** Resolves when the last run is over. */
  stop: () => Promise<void>
}

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
  const run = async () => {
    while (!stopped) {
      const asked = woken
      woken = false
      try {
        await runOnce(asked)
      } catch (error) {
        ctx.log.error({ loop: name, ...describeError(error) }, 'a run failed and is tried again')
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
