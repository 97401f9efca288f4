import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { describeError } from '../../../kernel/log.ts'
import type { SmtpConnection } from '../../../kernel/mail/index.ts'
import { connectMailboxSmtp } from '../../mailboxes/index.ts'
import type { Lane } from '../lanes/lane.ts'

interface Kept {
  connection: SmtpConnection
  usedAtMs: number
}

/** Most servers put up with a silent client for longer, and nobody waits longer for the next mail. */
const idleMs = 15_000
const keptMax = 500

/** One connection for each mailbox, kept from one mail to the next and closed when it is idle. */
export class Connections {
  readonly #ctx: ProcessContext
  readonly #kept = new Map<string, Kept>()

  constructor(ctx: ProcessContext) {
    this.#ctx = ctx
  }

  get size(): number {
    return this.#kept.size
  }

  /** The one that was put back, if it is still open. */
  take(mailboxId: string): SmtpConnection | undefined {
    const kept = this.#kept.get(mailboxId)
    this.#kept.delete(mailboxId)
    return kept?.connection.isOpen ? kept.connection : undefined
  }

  /** @throws MailFailure */
  async open({ workspaceId, mailboxId }: Lane): Promise<SmtpConnection> {
    const ctx = inWorkspace(this.#ctx, workspaceId)
    return (await connectMailboxSmtp(ctx, workspaceId, mailboxId)).connection
  }

  /** Keeps a connection for the next mail, as soon as nothing is under way on it. */
  putBack(mailboxId: string, connection: SmtpConnection) {
    if (!connection.isOpen) return
    this.#kept.set(mailboxId, { connection, usedAtMs: this.#ctx.monotonicMs() })
  }

  /** Called now and then. Put back last is last in the map. */
  closeIdle() {
    const before = this.#ctx.monotonicMs() - idleMs
    for (const [mailboxId, kept] of this.#kept) {
      if (kept.usedAtMs > before && this.#kept.size <= keptMax) return
      this.#kept.delete(mailboxId)
      void this.#close(kept)
    }
  }

  async closeAll() {
    const all = [...this.#kept.values()]
    this.#kept.clear()
    await Promise.all(all.map((kept) => this.#close(kept)))
  }

  async #close({ connection }: Kept) {
    try {
      await connection.close()
    } catch (error) {
      this.#ctx.log.debug(describeError(error), 'a connection was not closed well')
    }
  }
}
