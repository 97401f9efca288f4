import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import {
  type ImapConnection,
  isPassingRefusal,
  MailFailure,
  type MailFolder,
  type SmtpConnection,
} from '../../kernel/mail/index.ts'
import { canCarryLinks, findLinkUrl, linkAddressRemedy } from '../link-address/index.ts'
import { wakeMailboxes } from '../mailbox-lanes/index.ts'
import { checkMailDomain } from './domain-check.ts'
import { explainFailure } from './explain.ts'
import { reportMailboxError, reportMailboxRecovered } from './health.ts'
import { getMailbox } from './mailboxes.ts'
import { connectMailboxImap, connectMailboxSmtp } from './open-mailbox.ts'
import type { Mailbox, MailboxSide } from './schema.ts'
import { composeTestMail } from './test-mail.ts'

/** One thing that was tried, told in words. */
export interface TestStep {
  step: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  /** What to do about it; null when all is well. */
  remedy: string | null
}

export interface MailboxTest {
  mailbox: Mailbox
  works: boolean
  steps: TestStep[]
}

export interface TestOptions {
  /** Hears of each step as soon as it is over. */
  tell?: (step: TestStep) => void
  arrivalMs?: number
  /** Aborted: nobody waits for the mail any more. */
  signal?: AbortSignal
}

const usualArrivalMs = 60_000
/** Junk cannot be listened to at the same time. */
const lookIntoJunkMs = 10_000

/**
 * Logs in to both servers of a mailbox, sends one mail to itself and waits for it. What is found is
 * its state from then on.
 */
export async function testMailbox(
  ctx: Context,
  workspaceId: string,
  id: string,
  options: TestOptions = {},
): Promise<MailboxTest> {
  const test = new Test(ctx, workspaceId, await getMailbox(ctx, workspaceId, id), options)
  await test.run()
  const mailbox = await getMailbox(ctx, workspaceId, id)
  return { mailbox, works: test.steps.every(({ status }) => status !== 'fail'), steps: test.steps }
}

class Test {
  readonly steps: TestStep[] = []
  readonly #ctx: Context
  readonly #workspaceId: string
  readonly #mailbox: Mailbox
  readonly #options: TestOptions

  constructor(ctx: Context, workspaceId: string, mailbox: Mailbox, options: TestOptions) {
    this.#ctx = ctx
    this.#workspaceId = workspaceId
    this.#mailbox = mailbox
    this.#options = options
  }

  async run(): Promise<void> {
    await this.#checkDomain()
    await this.#checkLinks()
    await using imap = await this.#logIn('imap', connectMailboxImap)
    const smtp = await this.#logIn('smtp', connectMailboxSmtp)
    try {
      const folders = imap && (await this.#findFolders(imap))
      if (smtp && imap && folders) await this.#sendToItself(smtp, imap, folders)
    } finally {
      await smtp?.close()
    }
  }

  async #checkDomain(): Promise<void> {
    const domain = parseEmail(this.#mailbox.address)?.domain
    if (domain === undefined) return
    for (const { record, status, detail, remedy } of await checkMailDomain(this.#ctx, domain)) {
      this.#tell({ step: record, status, detail, remedy })
    }
  }

  async #checkLinks(): Promise<void> {
    const url = findLinkUrl(this.#ctx)
    if (canCarryLinks(this.#mailbox, url)) return this.#tellOk('links', `they lead to ${url}`)
    const detail = `${url} reaches no recipient: unsubscribing goes by mail, and nothing is tracked`
    this.#tell({ step: 'links', status: 'warn', detail, remedy: linkAddressRemedy })
  }

  async #logIn<T>(
    side: MailboxSide,
    connect: (ctx: Context, workspaceId: string, id: string) => Promise<{ connection: T }>,
  ): Promise<T | undefined> {
    return await this.#try(side, `${side} login`, async () => {
      const { connection } = await connect(this.#ctx, this.#workspaceId, this.#mailbox.id)
      this.#tellOk(`${side} login`, 'connected and logged in')
      return connection
    })
  }

  #findFolders(imap: ImapConnection): Promise<MailFolder[] | undefined> {
    return this.#try('imap', 'folders', async () => {
      const folders = await imap.folders()
      const has = (use: string) => folders.some(({ specialUse }) => specialUse === use)
      const missing = ['inbox', 'junk', 'sent'].filter((use) => !has(use))
      if (missing.length === 0) this.#tellOk('folders', 'inbox, junk and sent are there')
      else {
        const remedy = 'Make them, or leave it: what is in none of them is not seen.'
        const detail = `no folder for ${missing.join(' and ')} was found`
        this.#tell({ step: 'folders', status: 'warn', detail, remedy })
      }
      return folders
    })
  }

  async #sendToItself(
    smtp: SmtpConnection,
    imap: ImapConnection,
    folders: MailFolder[],
  ): Promise<void> {
    const mail = composeTestMail(this.#ctx, this.#mailbox.address)
    const sentMs = this.#ctx.monotonicMs()
    const isSent = await this.#try('smtp', 'sending', async () => {
      await smtp.begin(mail.envelope)
      await smtp.finish(mail.source)
      this.#tellOk('sending', 'the server took a mail from the mailbox to itself')
      return true
    })
    if (!isSent) return
    await this.#recovered('smtp')
    await this.#try('imap', 'arrival', async () => {
      const folder = await this.#waitFor(imap, folders, mail.messageId)
      const seconds = ((this.#ctx.monotonicMs() - sentMs) / 1000).toFixed(1)
      await this.#recovered('imap')
      if (folder === 'inbox') this.#tellOk('arrival', `it arrived after ${seconds} s`)
      else if (folder === 'junk') {
        const remedy = 'Mark it as no junk there, and see to SPF, DKIM and DMARC of the domain.'
        const detail = `it arrived after ${seconds} s, in the junk folder`
        this.#tell({ step: 'arrival', status: 'warn', detail, remedy })
      } else {
        const remedy =
          'Look for it with a mail program; if it is there, the IMAP login is another’s.'
        const detail = `it did not arrive within ${seconds} s`
        this.#tell({ step: 'arrival', status: 'fail', detail, remedy })
      }
    })
  }

  /** Where it arrived. */
  async #waitFor(
    imap: ImapConnection,
    folders: MailFolder[],
    messageId: string,
  ): Promise<'inbox' | 'junk' | undefined> {
    const { monotonicMs } = this.#ctx
    const pathOf = (use: string) => folders.find(({ specialUse }) => specialUse === use)?.path
    const deadlineMs = monotonicMs() + (this.#options.arrivalMs ?? usualArrivalMs)
    for (;;) {
      for (const use of ['junk', 'inbox'] as const) {
        const path = pathOf(use) ?? (use === 'inbox' ? 'INBOX' : undefined)
        if (path === undefined) continue
        await imap.select(path)
        if ((await imap.findByMessageId(messageId)).length > 0) return use
      }
      const leftMs = deadlineMs - monotonicMs()
      if (leftMs <= 0 || this.#options.signal?.aborted) return
      await imap.idle(Math.min(leftMs, lookIntoJunkMs))
    }
  }

  /**
   * A failure of a server ends a step, and is the state of the mailbox; not where the test's own connection
   * was one too many, beside which the mailbox goes on.
   */
  async #try<T>(side: MailboxSide, step: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error
      const { what, remedy } = explainFailure(error, side)
      this.#tell({ step, status: 'fail', detail: what, remedy })
      if (isPassingRefusal(error)) return undefined
      await transaction(this.#ctx, async (tx) => {
        await reportMailboxError(tx, this.#workspaceId, this.#mailbox.id, side, error)
        // A mailbox that has nothing to send is tried again only when it is awake.
        if (side === 'smtp') await wakeMailboxes(tx, this.#workspaceId, [this.#mailbox.id])
      })
      return undefined
    }
  }

  #recovered(side: MailboxSide): Promise<void> {
    return transaction(this.#ctx, (tx) =>
      reportMailboxRecovered(tx, this.#workspaceId, this.#mailbox.id, side),
    )
  }

  #tellOk(step: string, detail: string): void {
    this.#tell({ step, status: 'ok', detail, remedy: null })
  }

  #tell(step: TestStep): void {
    this.steps.push(step)
    this.#options.tell?.(step)
  }
}
