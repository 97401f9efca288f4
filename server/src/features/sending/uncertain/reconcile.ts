import type { ProcessContext } from '../../../kernel/context.ts'
import { bind } from '../../../kernel/db/db.ts'
import { dayMs, hourMs, minuteMs } from '../../../kernel/durations.ts'
import { AppError } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import { MailFailure } from '../../../kernel/mail/index.ts'
import { within } from '../../../kernel/within.ts'
import type { MailboxOwner } from '../../mailbox-lanes/index.ts'
import { findUncertain, type UncertainSend } from '../cross-workspace.ts'
import { inSentFolder, sentFolderSemaphore } from '../sent-copies/sent-folder.ts'
import { bareSettlement } from '../settle/settlement.ts'
import type { Settlements } from '../settle/settlements.ts'
import { postponeLook } from './uncertain-queries.ts'

/** After the mail; then it is left to a person. */
const looksMs = [1, 5, 30, 240, 1440].map((minutes) => minutes * minuteMs)
/** A server that could not be asked is asked again, for as long as anybody may mend it. */
const lookAgainMs = hourMs
const lookForMs = 7 * dayMs
const sendsMax = 200

/** Ids of those that are in the Sent folder, and of those that could not be looked for; or no mailbox. */
type Look = { found: Set<string>; unreached: Set<string> } | 'gone'

/**
 * Looks for uncertain mails in the Sent folders of their mailboxes: what the provider has filed there
 * was sent. What is not there stays uncertain, for it may have been sent all the same.
 */
export class UncertainMails {
  readonly #ctx: ProcessContext
  readonly #settlements: Settlements
  readonly #owner: MailboxOwner | undefined
  readonly #semaphore = sentFolderSemaphore()
  /** Mailboxes that are looked through, or will be. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(ctx: ProcessContext, settlements: Settlements, owner?: MailboxOwner) {
    this.#ctx = ctx
    this.#settlements = settlements
    this.#owner = owner
  }

  /** Begins with what is due. A server that keeps silent holds up no other, and no later call. */
  async begin(buckets: number[]) {
    const besides = [...this.#underWay.keys()]
    const due = await findUncertain(this.#ctx.db, buckets, this.#ctx.now(), sendsMax, besides)
    for (const sends of Map.groupBy(due, ({ mailbox_id }) => mailbox_id).values()) {
      const [{ workspace_id, mailbox_id } = { workspace_id: '', mailbox_id: '' }] = sends
      const work = () => this.#reconcile(sends)
      const done = this.#semaphore
        .run(workspace_id, work)
        .catch((error) =>
          this.#ctx.log.error(describeError(error), 'uncertain mails are looked for later'),
        )
        .finally(() => this.#underWay.delete(mailbox_id))
      this.#underWay.set(mailbox_id, done)
    }
  }

  /** Resolves when nothing is under way, or when the time is over. */
  async idle(withinMs: number) {
    await within(this.#ctx, withinMs, Promise.all(this.#underWay.values()))
  }

  async #reconcile(sends: UncertainSend[]) {
    const look = await lookInSent(this.#ctx, this.#owner, sends)
    for (const send of sends) {
      if (typeof look === 'object' && look.found.has(send.id)) {
        await this.#settlements.add(bareSettlement(this.#ctx, send, { kind: 'sent' }))
      } else {
        await postponeLook(
          bind(this.#ctx.db, send.workspace_id),
          send,
          nextLook(this.#ctx, send, look),
        )
      }
    }
  }
}

async function lookInSent(
  ctx: ProcessContext,
  owner: MailboxOwner | undefined,
  sends: UncertainSend[],
): Promise<Look> {
  const [first] = sends
  const found = new Set<string>()
  const unreached = new Set(sends.map(({ id }) => id))
  if (!first) return { found, unreached }
  try {
    await inSentFolder(ctx, owner, first, async (imap) => {
      for (const { id, message_id } of sends) {
        if ((await imap.findByMessageId(message_id)).length > 0) found.add(id)
        unreached.delete(id)
      }
    })
    return { found, unreached: new Set() }
  } catch (error) {
    if (error instanceof AppError) return 'gone'
    if (!(error instanceof MailFailure)) throw error
    ctx.log.warn(
      { mailbox: first.mailbox_id, ...describeError(error) },
      'uncertain mails were not looked for',
    )
    return { found, unreached }
  }
}

/** Null: not again. */
function nextLook(ctx: ProcessContext, { id, timestamp_transmitting }: UncertainSend, look: Look) {
  const sentMs = timestamp_transmitting.getTime()
  const ageMs = ctx.now().getTime() - sentMs
  if (look === 'gone') return null
  if (look.unreached.has(id)) {
    return ageMs < lookForMs ? new Date(ctx.now().getTime() + lookAgainMs) : null
  }
  const nextMs = looksMs.find((ms) => ms > ageMs)
  return nextMs === undefined ? null : new Date(sentMs + nextMs)
}
