import type { ProcessContext } from '../../../kernel/context.ts'
import { isNotFound } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import type { ImapConnection } from '../../../kernel/mail/index.ts'
import { within } from '../../../kernel/within.ts'
import type { MailboxOwner } from '../../mailbox-lanes/index.ts'
import { inSentFolder, sentFolderSemaphore } from './sent-folder.ts'

interface Copy {
  messageId: string
  bytes: Buffer
}

/** A provider that files what it sends does so within seconds, and many copies share a connection. */
const gatherMs = 10_000
/** What comes on top has no copy. */
const bytesMax = 16 * 1024 * 1024
const bytesOfWorkspaceMax = bytesMax / 2

/**
 * Puts copies of sent mails into the Sent folders of their mailboxes, where nobody else does. It
 * holds up nothing: what fails, or is still waiting when the process ends, has no copy. A server that
 * hangs holds back the copies of its own workspace alone.
 */
export class SentCopies {
  readonly #ctx: ProcessContext
  readonly #owner: MailboxOwner | undefined
  readonly #semaphore = sentFolderSemaphore()
  /** Copies of mailboxes whose turn has not come. */
  readonly #waiting = new Map<string, Copy[]>()
  readonly #working = new Set<Promise<void>>()
  /** Mailboxes whose trouble was told, until a copy gets through. */
  readonly #failing = new Set<string>()
  readonly #stopping = new AbortController()
  readonly #bytes = new Map<string, number>()
  #left = 0

  constructor(ctx: ProcessContext, owner?: MailboxOwner) {
    this.#ctx = ctx
    this.#owner = owner
  }

  add(workspaceId: string, mailboxId: string, copy: Copy) {
    const size = copy.bytes.length
    const all = this.#bytes.values().reduce((sum, bytes) => sum + bytes, 0)
    const own = this.#bytes.get(workspaceId) ?? 0
    if (all + size > bytesMax || own + size > bytesOfWorkspaceMax) {
      this.#left += 1
      return
    }
    this.#bytes.set(workspaceId, own + size)
    const waiting = this.#waiting.get(mailboxId)
    if (waiting) {
      waiting.push(copy)
      return
    }
    this.#waiting.set(mailboxId, [copy])
    const working = this.#work(workspaceId, mailboxId).finally(() => this.#working.delete(working))
    this.#working.add(working)
  }

  /** Files what is waiting, and resolves when that is over or the time is. */
  async stop(withinMs: number) {
    this.#stopping.abort()
    await within(this.#ctx, withinMs, Promise.all(this.#working))
  }

  async #work(workspaceId: string, mailboxId: string) {
    if (!this.#stopping.signal.aborted) await this.#ctx.sleep(gatherMs, this.#stopping.signal)
    await this.#semaphore.run(workspaceId, async () => {
      const copies = this.#waiting.get(mailboxId) ?? []
      this.#waiting.delete(mailboxId)
      await this.#file(workspaceId, mailboxId, copies)
      this.#forget(workspaceId, copies)
    })
    if (this.#left === 0) return
    this.#ctx.log.warn({ mails: this.#left }, 'the Sent folders lack mails: too many at once')
    this.#left = 0
  }

  #forget(workspaceId: string, copies: Copy[]) {
    const size = copies.reduce((sum, { bytes }) => sum + bytes.length, 0)
    const left = (this.#bytes.get(workspaceId) ?? 0) - size
    if (left > 0) this.#bytes.set(workspaceId, left)
    else this.#bytes.delete(workspaceId)
  }

  async #file(workspaceId: string, mailbox: string, copies: Copy[]) {
    try {
      const key = { workspace_id: workspaceId, mailbox_id: mailbox }
      await inSentFolder(this.#ctx, this.#owner, key, async (imap, path) => {
        for (const copy of copies) await fileOnce(imap, path, copy)
      })
      this.#failing.delete(mailbox)
    } catch (error) {
      // It was removed meanwhile, and has no folder any more that could lack something.
      if (isNotFound(error)) return
      if (this.#failing.has(mailbox)) return
      this.#failing.add(mailbox)
      this.#ctx.log.warn({ mailbox, ...describeError(error) }, 'a Sent folder lacks mails')
    }
  }
}

/** Files a copy, unless the provider was faster: then its copy stays the only one. */
async function fileOnce(imap: ImapConnection, path: string, { messageId, bytes }: Copy) {
  if ((await imap.findByMessageId(messageId)).length > 0) return
  await imap.append(path, bytes, ['\\Seen'])
}
