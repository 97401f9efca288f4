import { Option } from 'commander'
import type { ProcessContext } from '../kernel/context.ts'
import type { OutputOptions } from './operate.ts'
import { openProgressBar, type Step } from './progress-bar.ts'

export const kindOption = (description: string) =>
  new Option('--kind <kind>', description).choices(['contacts', 'companies'])

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
