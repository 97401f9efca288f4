import type { ImapConnection } from '../../kernel/mail/index.ts'

type Visit = (imap: ImapConnection) => Promise<void>

interface Visitor {
  visit: Visit
  done: PromiseWithResolvers<boolean>
}

/**
 * The connection that listens in a mailbox, and who else has something to do over it: a login costs
 * more than a mail, and servers allow few connections.
 */
export class Listening {
  readonly #imap: ImapConnection
  #visitors: Visitor[] = []
  #came = new AbortController()

  constructor(imap: ImapConnection) {
    this.#imap = imap
  }

  /** @returns whether it was done; not where the listening ends first @throws as the visit does */
  visit(visit: Visit): Promise<boolean> {
    const done = Promise.withResolvers<boolean>()
    this.#visitors.push({ visit, done })
    this.#came.abort()
    return done.promise
  }

  /** As ImapConnection.idle; after visits another folder may be selected, and anything may have come. */
  async idle(ms: number, signal: AbortSignal): Promise<'changed' | 'timeout'> {
    const heard = await this.#imap.idle(ms, AbortSignal.any([signal, this.#came.signal]))
    if (!this.#came.signal.aborted || signal.aborted) return heard
    this.#came = new AbortController()
    for (const { visit, done } of this.#visitors.splice(0)) {
      await visit(this.#imap).then(() => done.resolve(true), done.reject)
    }
    return 'changed'
  }

  /** Nobody listens any more: who still waits looks for another way. */
  end() {
    for (const { done } of this.#visitors.splice(0)) done.resolve(false)
  }
}
