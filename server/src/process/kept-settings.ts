import {
  type Contradiction,
  compareSettings,
  tellFirst,
  toldSettings,
} from '../features/kept-settings/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { startLoop } from '../kernel/runner/loop.ts'
import type { Role } from './role.ts'

const compareEveryMs = 60_000

/**
 * Before anything is delivered or dropped: what this process was told holds for all, and it goes by what
 * others were told. A process that is started later may have been told something else.
 */
export async function keepSettings(ctx: ProcessContext, role: Role): Promise<AsyncDisposable> {
  const process = { told: toldSettings(ctx.config), servesApi: role !== 'runner' }
  const warned = new Set<string>()
  const warn = (contradicted: Contradiction[], sentence: string) => {
    for (const each of contradicted) {
      const key = JSON.stringify(each)
      if (!warned.has(key)) ctx.log.warn(each, sentence)
      warned.add(key)
    }
  }
  warn(await tellFirst(ctx, process), `another process was told otherwise; ${sameEverywhere}`)
  const comparing = startLoop(ctx, 'kept settings', compareEveryMs, async () => {
    const contradicted = await compareSettings(ctx, process)
    warn(contradicted, `what another process was told holds; ${sameEverywhere}`)
  })
  return { [Symbol.asyncDispose]: comparing.stop }
}

const sameEverywhere = 'give the same setting to every process'
