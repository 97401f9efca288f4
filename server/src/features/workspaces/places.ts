import type { ProcessContext } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import { askAllShards, askShardsUp, haveAllAnswered, shardNameOf } from '../../kernel/shards/ask.ts'
import { listWorkspaces } from './workspaces.ts'

/** What a shard works for. */
export interface WorkspacesOn {
  shard: string
  workspaces: { id: string; name: string }[]
}

/** A workspace that more than one shard works for: a mail of it would leave from each. */
interface InSeveral {
  id: string
  name: string
  shards: string[]
}

export function findInSeveral(all: WorkspacesOn[]): InSeveral[] {
  const found = new Map<string, InSeveral>()
  for (const { shard, workspaces } of all) {
    for (const { id, name } of workspaces) {
      const { shards = [] } = found.get(id) ?? {}
      found.set(id, { id, name, shards: [...shards, shard] })
    }
  }
  return [...found.values()].filter(({ shards }) => shards.length > 1)
}

/**
 * Before a shard sends that was put back: it may have workspaces that have gone to others since.
 *
 * @param names of the shards that are to send
 * @throws AppError while another one works for a workspace of theirs, or does not answer
 */
export async function requireNoneInSeveral(ctx: ProcessContext, names: string[]): Promise<void> {
  if (!ctx.shards) return
  const found = ofShards(names, await askAllShards(ctx, sayWorkspaces))
  if (found.length > 0) throw inSeveral(found)
}

/**
 * Whether a workspace lies on several shards, for one that took over from another, which may have lacked a move.
 *
 * @returns undefined while none is found, and one of the others does not answer
 */
export async function hasOneInSeveral(ctx: ProcessContext): Promise<boolean | undefined> {
  if (!ctx.shards) return false
  const all = await askShardsUp(ctx, sayWorkspaces)
  if (ofShards([shardNameOf(ctx)], all).length > 0) return true
  return haveAllAnswered(ctx, all) ? false : undefined
}

const sayWorkspaces = async (ctx: ProcessContext): Promise<WorkspacesOn> => ({
  ...{ shard: shardNameOf(ctx), workspaces: await listWorkspaces(ctx) },
})

const ofShards = (names: string[], all: WorkspacesOn[]) =>
  findInSeveral(all).filter(({ shards }) => shards.some((one) => names.includes(one)))

export const inSeveral = (found: InSeveral[]) =>
  new AppError('not_ready', `${describeInSeveral(found)}. ${sayWhichStays}`)

export const describeInSeveral = (found: InSeveral[]) =>
  found.map(({ id, name, shards }) => `${name} (${id}) is on ${shards.join(' and ')}`).join(', ')

export const sayWhichStays =
  'A shard was put back to a time before a move, or a standby took over that lacked it, and each of them would send. Say which one goes on: "npx outrider workspaces keep ID --on SHARD".'
