import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { describeError } from '../../kernel/log.ts'
import { type ImapConnection, MailFailure } from '../../kernel/mail/index.ts'
import {
  connectMailboxImap,
  reportMailboxError,
  reportMailboxRecovered,
} from '../mailboxes/index.ts'
import { learnProviderIds } from './learn-provider-ids.ts'
import { foldersToRead, type ReadMailbox, readFolder } from './read-mailbox.ts'

/** Reading a mailbox, for as long as it is ours. */
export interface Following {
  /** Looks at every folder now. */
  wake: () => void
  stop: () => Promise<void>
  /** Resolves when it has ended, also by itself: the bucket was not ours for a moment. */
  over: Promise<void>
}

/** One connection listens in the inbox; the other folders are looked at in between. */
const idleMs = 5 * 60_000
const retryMinMs = 5_000
const retryMaxMs = 15 * 60_000

/**
 * Reads what comes into a mailbox as it comes. A connection that breaks is made anew, later each
 * time until one has read everything; a login that is refused is told to the owner once.
 */
export function followMailbox(ctx: Context, mailbox: ReadMailbox, holds: () => boolean): Following {
  const stopping = new AbortController()
  let pause = new AbortController()
  const goesOn = () => !stopping.signal.aborted && holds()
  const rest = async (wait: (signal: AbortSignal) => Promise<unknown>) => {
    pause = new AbortController()
    if (!stopping.signal.aborted) await wait(AbortSignal.any([pause.signal, stopping.signal]))
  }

  const run = async () => {
    let failures = 0
    while (goesOn()) {
      try {
        const { workspace_id, id } = mailbox
        const { connection } = await connectMailboxImap(ctx, workspace_id, id)
        await using imap = connection
        while (goesOn() && imap.isOpen) {
          const inbox = await readAll(ctx, imap, mailbox, goesOn)
          if (!goesOn()) return
          await recovered(ctx, mailbox)
          failures = 0
          // Last, and with nothing in between: what comes from here on is told while listening.
          await readFolder(ctx, imap, mailbox, inbox, goesOn)
          await rest((signal) => listen(ctx, imap, mailbox, inbox, { signal, goesOn }))
        }
      } catch (error) {
        failures += 1
        // The next failure says the same: nothing may end the loop.
        await report(ctx, mailbox, error).catch((unsaid) =>
          ctx.log.warn({ mailbox: mailbox.id, ...describeError(unsaid) }, 'it was not reported'),
        )
        const waitMs = Math.min(retryMaxMs, retryMinMs * 2 ** (failures - 1))
        await rest((signal) => ctx.sleep(waitMs * (0.8 + 0.4 * ctx.random()), signal))
      }
    }
  }
  const running = run()
  return {
    wake: () => pause.abort(),
    over: running,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/** @returns the path of the inbox */
async function readAll(
  ctx: Context,
  imap: ImapConnection,
  mailbox: ReadMailbox,
  goesOn: () => boolean,
): Promise<string> {
  const folders = await imap.folders()
  const read = foldersToRead(folders)
  for (const { path } of read) {
    if (goesOn()) await readFolder(ctx, imap, mailbox, path, goesOn)
  }
  const sent = folders.find(({ specialUse }) => specialUse === 'sent')
  if (sent && goesOn()) await learnProviderIds(ctx, imap, mailbox, sent.path)
  return read[0]?.path ?? 'INBOX'
}

/** Until it is time to look at the other folders. */
async function listen(
  ctx: Context,
  imap: ImapConnection,
  mailbox: ReadMailbox,
  inbox: string,
  { signal, goesOn }: { signal: AbortSignal; goesOn: () => boolean },
) {
  const untilMs = ctx.monotonicMs() + idleMs
  while (!signal.aborted && goesOn() && imap.isOpen) {
    const leftMs = untilMs - ctx.monotonicMs()
    if (leftMs <= 0) return
    const heard = await imap.idle(leftMs, signal)
    if (heard === 'changed' && goesOn()) await readFolder(ctx, imap, mailbox, inbox, goesOn)
  }
}

const recovered = (ctx: Context, { workspace_id, id }: ReadMailbox) =>
  transaction(ctx, (tx) => reportMailboxRecovered(tx, workspace_id, id, 'imap'))

/** Only what its owner can mend; a network that is down for a moment is nobody's fault. */
async function report(ctx: Context, { workspace_id, id }: ReadMailbox, error: unknown) {
  if (!(error instanceof MailFailure)) {
    ctx.log.warn({ mailbox: id, ...describeError(error) }, 'a mailbox is not read for the moment')
    return
  }
  ctx.log.info({ mailbox: id, stage: error.stage, kind: error.kind }, 'a mailbox cannot be read')
  if (error.stage !== 'login') return
  await transaction(ctx, (tx) => reportMailboxError(tx, workspace_id, id, 'imap', error))
}
