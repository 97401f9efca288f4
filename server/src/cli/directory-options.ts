import { Option } from 'commander'
import type { ProcessContext } from '../kernel/context.ts'
import { askAllShards } from '../kernel/shards/ask.ts'
import { requireSession } from '../process/pooler.ts'
import type { OutputOptions } from './operate.ts'
import { openProgressBar, type Step } from './progress-bar.ts'

export const kindOption = (description: string) =>
  new Option('--kind <kind>', description).choices(['contacts', 'companies'])

/**
 * Each of several databases has a copy of the directory. They are written one after the other: what is
 * interrupted goes on from there when it is asked for again.
 *
 * @returns what came of it, on the first one first
 * @throws AppError `unavailable` before anything is written when one was not opened
 */
export async function askInTurn<T>(
  ctx: ProcessContext,
  work: (shard: ProcessContext) => Promise<T>,
): Promise<[T, ...T[]]> {
  const [, ...others] = await askAllShards(ctx, async (shard) => shard)
  const done: [T, ...T[]] = [await work(ctx)]
  for (const shard of others) done.push(await work(shard))
  return done
}

/**
 * Takes turns for what keeps rows in tables of its session until they are written.
 *
 * @throws also where a pooler gives its sessions to others, before anything is written
 */
export async function askInTurnBySession<T>(
  ctx: ProcessContext,
  work: (shard: ProcessContext) => Promise<T>,
): Promise<[T, ...T[]]> {
  await askAllShards(ctx, requireSession)
  return askInTurn(ctx, work)
}

/** With a bar where a person looks on: on a terminal, and not where the output is for a program. */
export async function showingProgress<T>(
  { monotonicMs }: ProcessContext,
  { json }: OutputOptions,
  work: (show: (step: Step) => void) => Promise<T>,
): Promise<T> {
  if (json || !process.stderr.isTTY) return await work(() => undefined)
  using bar = openProgressBar(monotonicMs, (text) => void process.stderr.write(text))
  return await work(bar.show)
}
