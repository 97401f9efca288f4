import { CommanderError } from 'commander'
import { explainFailure } from '../process/failure.ts'
import { createProgram } from './program.ts'
import { tell } from './terminal.ts'

/** Sets the exit code: 0, 1 when the work failed, 2 when the command line cannot be understood. */
export async function runCli(argv: string[]): Promise<void> {
  try {
    await (await createProgram(argv[2])).parseAsync(argv)
  } catch (error) {
    process.exitCode = report(error)
  }
}

function report(error: unknown): number {
  // Commander has written its own message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  tell(explainFailure(error))
  return 1
}
