import {
  type Contradiction,
  compareSettings,
  lackingClients,
  outboundOf,
  processOf,
  tellFirst,
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
  const process = processOf(ctx.config, role !== 'runner')
  const followOutbound = outboundFollower(ctx)
  const warned = new Set<string>()
  const warn = (about: (Contradiction | { name: string })[], sentence: string) => {
    for (const each of about) {
      const key = JSON.stringify(each)
      if (!warned.has(key)) ctx.log.warn(each, sentence)
      warned.add(key)
    }
  }
  const replaced = await tellFirst(ctx, process)
  if (replaced !== undefined) {
    ctx.log.warn({ replaced }, `links of mails lead elsewhere from now on; ${sameEverywhere}`)
  }
  followOutbound()
  const comparing = startLoop(ctx, 'kept settings', compareEveryMs, async () => {
    const contradicted = await compareSettings(ctx, process)
    const isOwn = ({ name }: Contradiction) => process.own.has(name)
    const overruled = contradicted.filter((each) => !isOwn(each))
    warn(overruled, `what another process was told holds; ${sameEverywhere}`)
    warn(contradicted.filter(isOwn), `another process was told otherwise; ${sameEverywhere}`)
    followOutbound()
    const lacking = lackingClients(ctx, process).map((name) => ({ name }))
    warn(lacking, `mailboxes that were connected with this client are left alone; ${withSecret}`)
  })
  return { [Symbol.asyncDispose]: comparing.stop }
}

/** Says which policy holds, and which does from then on. */
function outboundFollower({ config, keptSettings, log }: ProcessContext) {
  const own = { ...config.outbound }
  let told: string | undefined
  return () => {
    // The network of the process goes by this very object.
    const { mode } = Object.assign(config.outbound, outboundOf({ config, keptSettings }, own))
    const reason = mode === own.mode ? config.outboundReason : ofAnother
    if (reason !== told) log.info({ ...config.outbound, reason }, 'outbound policy')
    told = reason
  }
}

const ofAnother =
  'another process is reachable from elsewhere, or was three minutes ago; set OUTBOUND_POLICY to say otherwise'

const withSecret = 'give its id and secret to every process'

const sameEverywhere = 'give the same setting to every process'
