import type { Command } from 'commander'
import { listGone, listLeaving } from '../features/moves/index.ts'
import { countSecondFactors, resealSecondFactors } from '../features/users/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { createSecretBox } from '../kernel/crypto.ts'
import { updateSecretKeyId } from '../kernel/db/instance.ts'
import { AppError } from '../kernel/errors.ts'
import { findProcessesWithoutKey } from '../kernel/runner/lease-queries.ts'
import {
  countSealed,
  type Resealed,
  resealAll,
  type SealedCount,
} from '../kernel/sealed-columns/index.ts'
import { readSecretKeys } from '../kernel/secret-key.ts'
import { askAllShards } from '../kernel/shards/ask.ts'
import { counted } from '../kernel/text.ts'
import { sealedColumns } from '../sealed-columns.ts'
import { type OutputOptions, operate, withOutput } from './operate.ts'
import { formatTable } from './terminal.ts'

export function secretCommands(program: Command) {
  const secrets = program.command('secrets').description('What is sealed with OUTRIDER_SECRET_KEY')

  withOutput(secrets.command('list'))
    .description('Count the sealed values of each key')
    .action((options: OutputOptions) => operate(options, readCounts, showCounts))

  withOutput(secrets.command('reseal'))
    .description('Seal everything with the first key; safe while the service runs')
    .addHelpText('after', notes)
    .action((options: OutputOptions) => operate(options, reseal, showResealed))
}

const notes = `
To rotate: where there are several processes, restart each with OUTRIDER_SECRET_KEY=OLD,NEW first.
Restart every process with OUTRIDER_SECRET_KEY=NEW,OLD, run this with the same setting, then restart
with NEW alone. It exits with 1 while a value is left that another key has sealed. Links in mails that were sent under OLD end with it: keep OLD for as long as these
shall work.`

interface Counted extends SealedCount {
  /** Whether a key that is given here opens them. */
  opens: boolean
}

const readCounts = async (ctx: ProcessContext): Promise<{ items: Counted[] }> => {
  const sealed = await askAllShards(ctx, async (shard) =>
    countSealed(shard.db, sealedColumns, await listGone(shard)),
  )
  const counts = [...addUp(sealed.flat()), ...(await countSecondFactors(ctx))]
  return {
    items: counts.map((one) => ({ ...one, opens: ctx.secrets.keyIds.includes(one.key_id) })),
  }
}

/** Of several databases. */
function addUp(counts: SealedCount[]): SealedCount[] {
  const sums = new Map<string, SealedCount>()
  for (const one of counts) {
    const name = JSON.stringify([one.key_id, one.label])
    sums.set(name, { ...one, count: one.count + (sums.get(name)?.count ?? 0) })
  }
  return [...sums.values()]
}

/** What stays as it was, since nothing of its workspace is written. */
interface Fenced {
  id: string
  name: string
  moving_to: string
  is_under_way: boolean
  values: number
}

interface ResealedAll extends Resealed {
  fenced: Fenced[]
  items: Counted[]
}

async function reseal(ctx: ProcessContext): Promise<ResealedAll> {
  const secrets = await newestFirst(ctx)
  const { keyId } = secrets
  const lackingOn = await askAllShards(ctx, ({ db, config }) =>
    findProcessesWithoutKey(db, keyId, config.leaseMs),
  )
  const lacking = new Set(lackingOn.flat()).size
  if (lacking > 0) {
    throw new AppError(
      'not_ready',
      `${counted(lacking, 'runner that is alive lacks', 'runners that are alive lack')} the key ${keyId} and could open nothing that is sealed with it: restart every process with this OUTRIDER_SECRET_KEY first.`,
    )
  }
  // Before anything is sealed with it: a process without this key must not start from here on.
  await askAllShards(ctx, ({ db }) => updateSecretKeyId(db, keyId))
  // First, since they are few: broken off later, nobody is locked out with the old key.
  const secondFactors = await resealSecondFactors({ ...ctx, secrets })
  const columns = await askAllShards(ctx, async (shard) => {
    const { fenced, ...done } = await resealAll(
      { ...shard, secrets },
      sealedColumns,
      await listGone(shard),
    )
    return { ...done, fenced: await listFenced(shard, fenced) }
  })
  const done = [...columns, secondFactors]
  const { items } = await readCounts(ctx)
  // The other keys are still needed.
  if (items.some(({ key_id }) => key_id !== keyId)) process.exitCode = 1
  return {
    resealed: done.reduce((sum, one) => sum + one.resealed, 0),
    unreadable: done.reduce((sum, one) => sum + one.unreadable, 0),
    fenced: columns.flatMap(({ fenced }) => fenced),
    items,
  }
}

/** One whose move has ended meanwhile is counted where it is now. */
async function listFenced({ db }: ProcessContext, fenced: Map<string, number>): Promise<Fenced[]> {
  if (fenced.size === 0) return []
  return (await listLeaving(db)).flatMap(({ id, name, moving_to, is_under_way }) => {
    const values = fenced.get(id)
    return values === undefined ? [] : [{ id, name, moving_to, is_under_way, values }]
  })
}

/** The keys as they are given: until now a command seals with the one that the service seals with. */
const newestFirst = async ({ config, secrets }: ProcessContext) => {
  const keys = await readSecretKeys(config)
  return keys ? createSecretBox(keys) : secrets
}

const showCounts = ({ items }: { items: Counted[] }) =>
  formatTable(
    ['key', 'values', 'count', 'opens'],
    items.map(({ key_id, label, count, opens }) => [key_id, label, count, opens ? 'yes' : 'no']),
  )

function showResealed({ resealed, unreadable, fenced, items }: ResealedAll): string {
  const left = unreadable > 0 ? ` ${unreadable} cannot be opened with these keys.` : ''
  const lines = [
    `${counted(resealed, 'value was', 'values were')} sealed anew.${left}`,
    ...fenced.map(showFenced),
  ]
  return `${lines.join('\n')}\n\n${showCounts({ items })}`
}

const showFenced = ({ id, name, moving_to, is_under_way, values }: Fenced) =>
  is_under_way
    ? `${values} of ${name} stay as they were, since it is being moved to ${moving_to}: run this again once that is through.`
    : `${values} of ${name} stay as they were, since its move to ${moving_to} was left: run "npx outrider workspaces move ${id} --to ${moving_to}", or the same with --cancel alone, and then this again. Until then the other key is needed.`
