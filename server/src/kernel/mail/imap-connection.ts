import type { FetchMessageObject, ImapFlow, SearchObject } from 'imapflow'
import { dayMs } from '../durations.ts'
import { MailFailure } from './failure.ts'
import { imapFailure } from './imap-failure.ts'
import type { FetchedMail, FetchOptions, ImapConnection, MailFolder, SpecialUse } from './mail.ts'
import { type MailTimeouts, transferMsOf } from './timeouts.ts'

/** Sources that are held at once while they are handed out. */
const groupBytesMax = 4 * 1024 * 1024
const groupMailsMax = 250
/** How often a server that cannot tell by itself is asked. */
const pollMs = 20_000
const goodbyeMs = 1_000

/** An open connection of imapflow. It reads only: folders are opened with EXAMINE. */
export class OpenImap implements ImapConnection {
  readonly #client: ImapFlow
  readonly #timeouts: MailTimeouts
  /** A mail came since the folder was last read. */
  #hasNews = false
  #wake: (() => void) | undefined
  /** It knows IDLE. */
  #tellsByItself: boolean

  constructor(client: ImapFlow, timeouts: MailTimeouts) {
    this.#client = client
    this.#timeouts = timeouts
    this.#tellsByItself = client.capabilities.has('IDLE')
    client.on('exists', ({ count, prevCount }) => {
      if (count <= prevCount) return
      this.#hasNews = true
      this.#wake?.()
    })
    client.on('close', () => this.#wake?.())
  }

  get isOpen(): boolean {
    return this.#client.usable
  }

  folders(): Promise<MailFolder[]> {
    return this.#run(async (client) => {
      const folders = (await client.list()).filter(({ flags }) => !flags.has('\\Noselect'))
      return folders.map(({ path, specialUse = '' }) => ({
        path,
        specialUse: specialUses[specialUse] ?? null,
      }))
    })
  }

  select(path: string): Promise<{ uidValidity: string; uidNext: number }> {
    return this.#run(async (client) => {
      const folder = await client.mailboxOpen(path, { readOnly: true })
      this.#hasNews = false
      const uidNext = folder.uidNext ?? (await this.#nextOf(path))
      return { uidValidity: String(folder.uidValidity), uidNext }
    })
  }

  async *fetch(fromUid: number, options: FetchOptions): AsyncIterable<FetchedMail> {
    this.#hasNews = false
    const sizes = await this.#sizesFrom(fromUid, options.since ?? null)
    for (const group of groupBySize(sizes, options.sourceBytesMax)) {
      // Whole groups, so that the connection is free while a mail is being dealt with.
      yield* this.#fetchAround(group, options)
    }
  }

  /**
   * One mail that the server cannot hand out (a damaged one, or one that it cannot convert) makes it refuse
   * all that are asked for with it: the others are asked for without it, and of it the headers alone, which
   * tell whom it is from and what it answers, once they will do. They may be refused as well.
   */
  async *#fetchAround(uids: number[], options: FetchOptions): AsyncIterable<FetchedMail> {
    const { sourceBytesMax, takesHeaders = () => true, onWithheld } = options
    const fetched = await this.#unlessRefused(this.#fetchGroup(uids, sourceBytesMax))
    const [uid] = uids
    if (!(fetched instanceof MailFailure)) {
      yield* fetched
    } else if (uid === undefined || uids.length > 1) {
      const half = uids.length >> 1
      yield* this.#fetchAround(uids.slice(0, half), options)
      yield* this.#fetchAround(uids.slice(half), options)
    } else if (takesHeaders(uid, fetched)) {
      const headers = await this.#unlessRefused(this.#fetchHeaders(uids))
      if (!(headers instanceof MailFailure)) yield* headers
      else if (onWithheld) onWithheld(uid, headers)
      else throw headers
    }
  }

  /** @returns why the server refuses what it may have refused for the sake of a single mail */
  async #unlessRefused<T>(fetching: Promise<T>): Promise<T | MailFailure> {
    try {
      return await fetching
    } catch (error) {
      if (!(error instanceof MailFailure) || error.kind !== 'refused' || !this.isOpen) throw error
      // Who is told to ask for less does not ask for each mail by itself.
      if (/throttled/i.test(error.response ?? '')) throw error
      return error
    }
  }

  async findFirstSince(since: Date): Promise<number | null> {
    const found = await this.#search({ since: new Date(since.getTime() - dayMs) })
    return found.length === 0 ? null : found.reduce((first, uid) => Math.min(first, uid))
  }

  findByMessageId(messageId: string): Promise<number[]> {
    return this.#search({ header: { 'message-id': messageId } })
  }

  async append(path: string, message: Buffer, flags: string[]): Promise<void> {
    await this.#run((client) => client.append(path, message, flags), message.length)
  }

  async idle(ms: number, signal?: AbortSignal): Promise<'changed' | 'timeout'> {
    const over = new AbortController()
    const stop = () => over.abort()
    const timer = setTimeout(stop, ms)
    signal?.addEventListener('abort', stop)
    this.#wake = stop
    if (this.#hasNews || signal?.aborted) stop()
    try {
      while (!over.signal.aborted) {
        await this.#listen(over.signal)
        // Ends IDLE, brings what was on its way, and fails when the connection is gone.
        await this.#run((client) => client.noop())
      }
    } finally {
      this.#wake = undefined
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
    }
    return this.#hasNews ? 'changed' : 'timeout'
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#client.close(), goodbyeMs)
    await this.#client.logout().catch(() => undefined)
    clearTimeout(timer)
    this.#client.close()
  }

  /** Until the server says something, it is over, or it is time to ask for a sign of life. */
  async #listen(over: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, this.#tellsByItself ? this.#timeouts.idleMs : pollMs)
    over.addEventListener('abort', () => resolve(), { once: true })
    if (this.#tellsByItself) {
      this.#client.idle().then(
        (answer) => {
          if (answer === false) this.#tellsByItself = false
          resolve()
        },
        () => resolve(),
      )
    }
    await promise
    clearTimeout(timer)
  }

  /** UIDs. */
  #search(query: SearchObject): Promise<number[]> {
    return this.#run(async (client) => {
      const found = await client.search(query, { uid: true })
      if (!found) throw new MailFailure('imap', 'protocol')
      return found
    })
  }

  async #sizesFrom(fromUid: number, since: Date | null) {
    const query = { uid: true, size: true, internalDate: since !== null }
    const found = await this.#run((client) => client.fetchAll(`${fromUid}:*`, query, { uid: true }))
    const wanted = found.filter((mail) => {
      const receivedAt = receivedAtOf(mail)
      return since === null || receivedAt === null || receivedAt >= since
    })
    // A server may tell of a mail again, when its flags change meanwhile.
    const sizes = new Map(wanted.map(({ uid, size = 0 }) => [uid, size]))
    return (
      [...sizes]
        .map(([uid, size]) => ({ uid, size }))
        // `*` is the newest mail, whatever its UID.
        .filter(({ uid }) => uid >= fromUid)
        .sort((a, b) => a.uid - b.uid)
    )
  }

  async #fetchGroup(uids: number[], sourceBytesMax: number): Promise<FetchedMail[]> {
    const source = { start: 0, maxLength: sourceBytesMax }
    const query = { ...facts, source }
    const mails = await this.#run(
      (client) => client.fetchAll(uids, query, { uid: true }),
      groupBytesMax,
    )
    return mails
      .filter((mail) => mail.source !== undefined)
      .map((mail) => toMail(mail, sourceBytesMax))
      .sort((a, b) => a.uid - b.uid)
  }

  async #fetchHeaders(uids: number[]): Promise<FetchedMail[]> {
    const query = { ...facts, headers: true }
    const mails = await this.#run((client) => client.fetchAll(uids, query, { uid: true }))
    return mails.map((mail) => {
      const source = mail.headers ?? Buffer.alloc(0)
      return { ...toMail({ ...mail, source }, source.length), isCut: true }
    })
  }

  async #nextOf(path: string): Promise<number> {
    const status = await this.#client.status(path, { uidNext: true })
    return status ? (status.uidNext ?? 1) : 1
  }

  /** One command within its time, which is longer for one that moves many bytes. */
  async #run<T>(work: (client: ImapFlow) => Promise<T>, bytes = 0): Promise<T> {
    if (!this.isOpen) throw new MailFailure('imap', 'closed')
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#client.close()
    }, this.#timeouts.commandMs + transferMsOf(this.#timeouts, bytes))
    try {
      return await work(this.#client)
    } catch (error) {
      throw isLate ? new MailFailure('imap', 'timeout') : imapFailure(error, false)
    } finally {
      clearTimeout(timer)
    }
  }
}

/** What is asked of a mail beside its text. */
const facts = { uid: true, flags: true, labels: true, internalDate: true, size: true }

const specialUses: Record<string, SpecialUse> = {
  '\\Inbox': 'inbox',
  '\\Junk': 'junk',
  '\\Sent': 'sent',
  '\\All': 'all',
  '\\Archive': 'archive',
  '\\Trash': 'trash',
  '\\Drafts': 'drafts',
}

function receivedAtOf({ internalDate }: FetchMessageObject): Date | null {
  const receivedAt = new Date(internalDate ?? Number.NaN)
  return Number.isNaN(receivedAt.getTime()) ? null : receivedAt
}

function toMail(mail: FetchMessageObject, sourceBytesMax: number): FetchedMail {
  const source = mail.source ?? Buffer.alloc(0)
  const { size: sizeBytes = source.length } = mail
  return {
    uid: mail.uid,
    source,
    // The sizes that some servers tell are only nearly right.
    isCut: source.length >= sourceBytesMax && sizeBytes > source.length,
    sizeBytes,
    receivedAt: receivedAtOf(mail),
    flags: [...(mail.flags ?? [])],
    labels: [...(mail.labels ?? [])],
  }
}

function groupBySize(sizes: { uid: number; size: number }[], sourceBytesMax: number): number[][] {
  const groups: number[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const { uid, size } of sizes) {
    bytes += Math.min(size, sourceBytesMax)
    const group = groups.at(-1)
    if (group && group.length < groupMailsMax && bytes <= groupBytesMax) {
      group.push(uid)
      continue
    }
    groups.push([uid])
    bytes = Math.min(size, sourceBytesMax)
  }
  return groups
}
