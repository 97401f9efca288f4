import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { describeError } from '../../../kernel/log.ts'
import type { SmtpConnection } from '../../../kernel/mail/index.ts'
import { connectMailboxSmtp } from '../../mailboxes/index.ts'
import type { LaneRow } from '../lanes/lane-queries.ts'

/** A mailbox as it was when its mail was made. */
export type SendingMailbox = Pick<LaneRow, 'workspace_id' | 'mailbox_id' | 'mailbox_version'>

interface Kept {
  connection: SmtpConnection
  usedAtMs: number
}

/** Most servers put up with a silent client for longer, and nobody waits longer for the next mail. */
const idleMs = 15_000
const keptMax = 500

/**
 * One connection for each mailbox, kept from one mail to the next and closed when it is idle, or when the
 * mailbox was changed: it may have another server or login.
 */
export class Connections {
  readonly #ctx: ProcessContext
  readonly #kept = new Map<string, Kept>()
  readonly #versions = new WeakMap<SmtpConnection, number>()

  constructor(ctx: ProcessContext) {
    this.#ctx = ctx
  }

  /** The one that was put back, if it is still open and was made for the mailbox as it is. */
  take({ mailbox_id, mailbox_version }: SendingMailbox): SmtpConnection | undefined {
    const kept = this.#kept.get(mailbox_id)
    this.#kept.delete(mailbox_id)
    if (!kept?.connection.isOpen) return undefined
    if (this.#versions.get(kept.connection) === mailbox_version.getTime()) return kept.connection
    void this.#close(kept)
    return undefined
  }

  /** @throws MailFailure */
  async open({ workspace_id, mailbox_id }: SendingMailbox): Promise<SmtpConnection> {
    const ctx = inWorkspace(this.#ctx, workspace_id)
    const { mailbox, connection } = await connectMailboxSmtp(ctx, workspace_id, mailbox_id)
    this.#versions.set(connection, mailbox.timestamp_updated.getTime())
    return connection
  }

  /** Keeps a connection for the next mail, as soon as nothing is under way on it. */
  putBack(mailboxId: string, connection: SmtpConnection) {
    if (!connection.isOpen) return
    const kept = this.#kept.get(mailboxId)
    if (kept && kept.connection !== connection) void this.#close(kept)
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
