import { PassThrough, type Readable } from 'node:stream'
import type { Context } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'
import { limitAtOnce } from '../../../kernel/limit-at-once.ts'
import { describeError } from '../../../kernel/log.ts'
import { type TestStep, testMailbox } from '../test-mailbox.ts'

/** Each has two connections, and a server that hangs has ten minutes to take the mail. */
export const takeTestSlot = limitAtOnce('mailbox tests', { ofWorkspaceMax: 4, ofProcessMax: 32 })

/**
 * The steps of a test as lines of JSON, each as soon as it is over; the last one, `done`, is how it
 * ended. Whoever leaves ends the waiting, not a step that is under way.
 */
export function streamTest(ctx: Context, workspaceId: string, id: string): Readable {
  const slot = takeTestSlot(ctx.mail, workspaceId)
  const lines = new PassThrough()
  const leaving = new AbortController()
  lines.on('close', () => leaving.abort())
  const tell = (line: TestStep) => void lines.write(`${JSON.stringify(line)}\n`)
  const run = async () => {
    using _slot = slot
    try {
      const { works } = await testMailbox(ctx, workspaceId, id, { tell, signal: leaving.signal })
      tell({ step: 'done', status: works ? 'ok' : 'fail', detail: '', remedy: null })
    } catch (error) {
      tell({ step: 'done', status: 'fail', ...explain(ctx, error) })
    }
    lines.end()
  }
  void run()
  return lines
}

/** The status is sent already: what fails now is told as a line. */
function explain(ctx: Context, error: unknown) {
  if (error instanceof AppError) return { detail: error.message, remedy: null }
  ctx.log.error(describeError(error), 'a test of a mailbox failed')
  return { detail: 'Something failed here, not at the mailbox.', remedy: 'Try again.' }
}
