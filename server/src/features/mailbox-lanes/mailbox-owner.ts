import type { ProcessContext } from '../../kernel/context.ts'
import { type LeaseEvents, Leases } from '../../kernel/runner/leases.ts'
import { type Loop, startLoop } from '../../kernel/runner/loop.ts'
import { leaseKind } from './hint.ts'
import type { Listening } from './listening.ts'

/** What works on the mailboxes of a process: sending, or reading. */
export type MailboxWork = Pick<LeaseEvents, 'taken' | 'drained'>

/**
 * A process owns the mailboxes whose buckets it has leased: it alone sends from them and reads them.
 * A bucket goes to another process when both have ended what they had under way in it.
 */
export class MailboxOwner {
  readonly #leases: Leases
  readonly #heartbeat: Loop
  readonly #works = new Set<MailboxWork>()
  readonly #listening = new Map<string, Listening>()

  constructor(ctx: ProcessContext) {
    this.#leases = new Leases(ctx, leaseKind, {
      taken: (buckets, abandoned) => {
        for (const work of this.#works) work.taken(buckets, abandoned)
      },
      lost: () => undefined,
      drained: async (buckets) => {
        await Promise.all([...this.#works].map((work) => work.drained(buckets)))
      },
    })
    const beatEveryMs = ctx.config.leaseMs / 3
    this.#heartbeat = startLoop(ctx, 'mailbox leases', beatEveryMs, () => this.#leases.beat())
  }

  /** Told of what the process owns now and from now on. @returns ends that, once it has nothing under way */
  begin(work: MailboxWork): () => void {
    this.#works.add(work)
    work.taken(this.buckets(), [])
    return () => void this.#works.delete(work)
  }

  /** Asked before anything is begun in a mailbox of this bucket. */
  holds = (bucket: number): boolean => this.#leases.holds(bucket)

  /** Of the lease; undefined when nothing may be begun in a mailbox of this bucket. */
  token = (bucket: number): string | undefined =>
    this.holds(bucket) ? this.#leases.token(bucket) : undefined

  buckets = (): number[] => this.#leases.buckets()

  /** Others can use the connection from now on, whenever nothing is read over it. @returns ends that */
  listens(mailboxId: string, listening: Listening): Disposable {
    this.#listening.set(mailboxId, listening)
    return {
      [Symbol.dispose]: () => {
        this.#listening.delete(mailboxId)
        listening.end()
      },
    }
  }

  listening = (mailboxId: string): Listening | undefined => this.#listening.get(mailboxId)

  /** Gives everything back. What works on the mailboxes was stopped before. */
  async stop() {
    await this.#heartbeat.stop()
    await this.#leases.release()
  }
}
