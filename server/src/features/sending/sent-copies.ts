import type { Context } from '../../kernel/context.ts'
import { describeError } from '../../kernel/log.ts'
import type { ImapConnection } from '../../kernel/mail/index.ts'
import { withImap } from './sent-folder.ts'

interface Copy {
  messageId: string
  bytes: Buffer
}

interface Waiting {
  workspaceId: string
  copies: Copy[]
  /** When the first of them is old enough. */
  dueAtMs: number
}

/** A provider that files what it sends does so within seconds, and many copies share a connection. */
const gatherMs = 10_000
const mailboxesAtOnce = 4
/** Of all mailboxes; what comes on top has no copy. */
const bytesMax = 16 * 1024 * 1024

/**
 * Puts copies of sent mails into the Sent folders of their mailboxes, where nobody else does. It
 * holds up nothing: what fails, or is still waiting when the process ends, has no copy.
 */
export class SentCopies {
  readonly #ctx: Context
  readonly #waiting = new Map<string, Waiting>()
  readonly #working = new Set<Promise<void>>()
  /** Mailboxes whose trouble was told, until a copy gets through. */
  readonly #failing = new Set<string>()
  readonly #stopping = new AbortController()
  #bytes = 0
  #left = 0

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  add(workspaceId: string, mailboxId: string, copy: Copy) {
    if (this.#bytes + copy.bytes.length > bytesMax) {
      this.#left += 1
      return
    }
    this.#bytes += copy.bytes.length
    const waiting = this.#waiting.get(mailboxId)
    if (waiting) waiting.copies.push(copy)
    else {
      const dueAtMs = this.#ctx.monotonicMs() + gatherMs
      this.#waiting.set(mailboxId, { workspaceId, copies: [copy], dueAtMs })
    }
    if (this.#working.size < mailboxesAtOnce && !this.#stopping.signal.aborted) this.#start()
  }

  /** Files what is waiting, and resolves when that is over or the time is. */
  async stop(withinMs: number) {
    this.#stopping.abort()
    if (this.#waiting.size > 0 && this.#working.size === 0) this.#start()
    const late = new AbortController()
    await Promise.race([Promise.all(this.#working), this.#ctx.sleep(withinMs, late.signal)])
    late.abort()
  }

  #start() {
    const working = this.#work().finally(() => this.#working.delete(working))
    this.#working.add(working)
  }

  async #work() {
    for (let next = this.#oldest(); next; next = this.#oldest()) {
      const [mailboxId, waiting] = next
      const waitMs = waiting.dueAtMs - this.#ctx.monotonicMs()
      if (waitMs > 0 && !this.#stopping.signal.aborted) {
        await this.#ctx.sleep(waitMs, this.#stopping.signal)
        continue
      }
      this.#waiting.delete(mailboxId)
      await this.#file(mailboxId, waiting)
      for (const { bytes } of waiting.copies) this.#bytes -= bytes.length
    }
    if (this.#left === 0) return
    this.#ctx.log.warn({ mails: this.#left }, 'the Sent folders lack mails: too many at once')
    this.#left = 0
  }

  #oldest(): [string, Waiting] | undefined {
    const [oldest] = this.#waiting
    return oldest
  }

  async #file(mailbox: string, { workspaceId, copies }: Waiting) {
    try {
      await withImap(this.#ctx, workspaceId, mailbox, async (imap, sent) => {
        if (!sent) return
        await imap.select(sent.path)
        for (const copy of copies) await fileOnce(imap, sent.path, copy)
      })
      this.#failing.delete(mailbox)
    } catch (error) {
      if (this.#failing.has(mailbox)) return
      this.#failing.add(mailbox)
      this.#ctx.log.warn({ mailbox, ...describeError(error) }, 'a Sent folder lacks mails')
    }
  }
}

/** Where the provider was faster, its copy stays the only one. */
async function fileOnce(imap: ImapConnection, path: string, { messageId, bytes }: Copy) {
  if ((await imap.findByMessageId(messageId)).length > 0) return
  await imap.append(path, bytes, ['\\Seen'])
}
