import { bucketOf } from '../../kernel/runner/leases.ts'
import type { Slot } from '../../kernel/runner/slots.ts'
import type { NextAction } from './next-action.ts'

/** Older than this, what a mark looked at is looked at again before its mail is finished. */
export const markTrustedMs = 200
/** Mails of one mailbox that may be marked and not finished: a kill leaves so many uncertain. */
const marksMax = 8

/** One mailbox in the memory of the runner that owns its bucket. */
export class Lane {
  readonly workspaceId: string
  readonly mailboxId: string
  readonly bucket: number
  /** Of the lease that it is looked after under. */
  readonly token: string
  /** While it is looked after. */
  slot: Slot | undefined
  /** What an earlier owner left open was looked after. */
  isRecovered = false
  /** Something may have been left open since then: it is looked after when it wakes next. */
  hasBroken = false
  /** The campaign that it claimed for last; null: what the database has. */
  lastCampaignId: string | null = null
  /** Something woke it since it was last planned. */
  isWoken = false
  /** That a mail takes it, as the last ones did. */
  mailMs = 100
  /** Claims in a row that something spoke against. */
  refusals = 0
  /** Mails that it claimed are being sent. */
  isSending = false
  /** What it does after them, planned while they are sent. */
  ahead: Promise<NextAction> | undefined
  /** Results on their way into the ledger. */
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

  /** Something of it is open. */
  get isBusy(): boolean {
    return this.isSending || this.settling.size > 0
  }
}
