import { bucketOf } from '../../../kernel/runner/leases.ts'
import type { Slot } from '../../../kernel/runner/slots.ts'
import type { NextAction } from '../next-mail/next-action.ts'

/** Older than this, what a mark looked at is looked at again before its mail is finished. */
export const markTrustedMs = 200
/** Mails of one mailbox that may be marked and not finished: a kill leaves so many uncertain. */
const marksMax = 8

/**
 * One mailbox in the memory of the runner that owns its bucket. Mails of it may be open in the ledger
 * that nobody works on (`recover.ts`):
 * - not recovered: whoever had it before may have left some. They are settled before it is planned.
 * - recovered: what is open is under way in this process.
 * - in doubt: something failed here, or the database may have forgotten results. As soon as nothing of
 *   it is under way, it is not recovered any more.
 */
export class Lane {
  readonly workspaceId: string
  readonly mailboxId: string
  readonly bucket: number
  /** Token of the lease under which this process owns it. */
  readonly token: string
  /** From its first plan until it sleeps. */
  slot: Slot | undefined
  isRecovered = false
  /** Beside `isRecovered`, which work that is under way may set meanwhile. */
  isInDoubt = false
  /** The campaign that it claimed for last; null: what the database has. */
  lastCampaignId: string | null = null
  /** Something woke it since it was last planned. */
  isWoken = false
  /** What a mail of its last batch took. */
  mailMs = 100
  /** Claims in a row that were refused. */
  refusals = 0
  /** The mailbox has sent as many replies as it may in a row: mails of campaigns come first, if there are any. */
  owesCampaigns = false
  /** A batch of claimed mails is being sent. */
  isSending = false
  /** Its next action, planned while a batch without gaps is sent. */
  ahead: Promise<NextAction> | undefined
  /** Results that are not committed yet. */
  readonly settling = new Set<Promise<unknown>>()

  constructor(workspaceId: string, mailboxId: string, token: string) {
    this.workspaceId = workspaceId
    this.mailboxId = mailboxId
    this.bucket = bucketOf(mailboxId)
    this.token = token
  }

  /** Mails that are marked together with the one before them, where no gap has to pass between two. */
  get marksAhead(): number {
    return Math.min(marksMax - 1, Math.floor(markTrustedMs / this.mailMs))
  }

  /** With its next plan. */
  recoverAgain() {
    this.isInDoubt = false
    this.isRecovered = false
  }

  /** A mail of it is under way, or its result not committed: it must not sleep on a plan made meanwhile. */
  get isBusy(): boolean {
    return this.isSending || this.settling.size > 0
  }
}
