import type { FetchMessageObject, FetchQueryObject, ImapFlow, SearchObject } from 'imapflow'
import { dayMs } from '../durations.ts'
import { type AnswerLimit, folderMailsMax } from './answer-limit.ts'
import { MailFailure } from './failure.ts'
import { withUses } from './folder-uses.ts'
import { imapFailure } from './imap-failure.ts'
import type { FetchedMail, FetchOptions, ImapConnection, MailFolder } from './mail.ts'
import { type MailTimeouts, transferMsOf } from './timeouts.ts'

/** Sources that are held at once while they are handed out. */
const groupBytesMax = 4 * 1024 * 1024
const groupMailsMax = 250
/** Of one mail that is read as a whole, at once: what a single response may have, and no more. */
const pieceBytes = 512 * 1024
/** For what is said in many short lines: the sizes of mails, or what became of them while it listened. */
const manyLinesBytesMax = 8 * 1024 * 1024
/** More than 20,000 folders, each told twice. Read, they take up thirty times as much, and more. */
const foldersBytesMax = 4 * 1024 * 1024
/** The sizes of so many mails fit into an answer. */
const windowUidsMin = 50_000
/** A server may say that UIDs go on for ever, and each window is a question. */
const windowsMax = 200
/** How often a server that cannot tell by itself is asked. */
const pollMs = 20_000
const goodbyeMs = 1_000

/** Bytes of a command. */
interface Moved {
  /** What a command moves takes its time. */
  movedBytes?: number
  /** Where its answer may be larger than usual: who says more loses the connection. */
  answerBytesMax?: number
}

/** An open connection of imapflow. It reads only: folders are opened with EXAMINE. */
export class OpenImap implements ImapConnection {
  readonly #client: ImapFlow
  readonly #answers: AnswerLimit
  readonly #timeouts: MailTimeouts
  /** A mail came since the folder was last read. */
  #hasNews = false
  #wake: (() => void) | undefined
  /** The server knows IDLE. */
  #tellsByItself: boolean
  /** Of the selected folder, when it was selected. */
  #uidNext = 1

  constructor(client: ImapFlow, answers: AnswerLimit, timeouts: MailTimeouts) {
    this.#client = client
    this.#answers = answers
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
    return this.#run(
      async (client) => {
        const listed = await client.list()
        return withUses(listed.filter(({ flags }) => !flags.has('\\Noselect')))
      },
      { answerBytesMax: foldersBytesMax },
    )
  }

  select(path: string): Promise<{ uidValidity: string; uidNext: number }> {
    return this.#run(async (client) => {
      const folder = await client.mailboxOpen(path, { readOnly: true })
      if (folder.exists > folderMailsMax) {
        throw new MailFailure('imap', 'protocol', { detail: tooManyMailsDetail })
      }
      this.#hasNews = false
      this.#uidNext = folder.uidNext ?? (await this.#nextOf(path))
      return { uidValidity: String(folder.uidValidity), uidNext: this.#uidNext }
    })
  }

  async *fetch(fromUid: number, options: FetchOptions): AsyncIterable<FetchedMail> {
    this.#hasNews = false
    const uidNext = this.#uidNext
    const windowUids = Math.max(windowUidsMin, Math.ceil((uidNext - fromUid) / windowsMax))
    for (let first = fromUid, isLast = false; !isLast; first += windowUids) {
      isLast = first + windowUids >= uidNext
      // The last one has no end: more may have come in since the folder was selected.
      const last = isLast ? Number.POSITIVE_INFINITY : first + windowUids - 1
      const sizes = await this.#sizesOf(first, last, options)
      for (const group of groupBySize(sizes, options.sourceBytesMax)) {
        // Whole groups, so that the connection is free while a mail is being dealt with.
        yield* this.#fetchAround(group, options)
      }
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

  async fetchSource(uid: number, bytesMax: number) {
    const pieces: Buffer[] = []
    let isCut = true
    for (let start = 0; isCut && start <= bytesMax; start += pieceBytes) {
      const query = { uid: true, source: { start, maxLength: pieceBytes } }
      const [piece] = await this.#fetchEach([uid], query, ({ source }) => source && { uid, source })
      if (!piece) return undefined
      pieces.push(piece.source)
      isCut = piece.source.length >= pieceBytes
    }
    const source = Buffer.concat(pieces)
    return { source: source.subarray(0, bytesMax), isCut: isCut || source.length > bytesMax }
  }

  async append(path: string, message: Buffer, flags: string[]): Promise<void> {
    await this.#run((client) => client.append(path, message, flags), {
      movedBytes: message.length,
    })
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
        await this.#run((client) => client.noop(), { answerBytesMax: manyLinesBytesMax })
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
    this.#answers.begin(manyLinesBytesMax)
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

  async #sizesOf(first: number, last: number, { since = null, sourceBytesMax }: FetchOptions) {
    const range = `${first}:${Number.isFinite(last) ? last : '*'}`
    const query = { uid: true, size: true, internalDate: since !== null }
    const sizes = new Map<number, number>()
    await this.#run(
      async (client) => {
        for await (const mail of client.fetch(range, query, { uid: true })) {
          const { uid, size } = mail
          const receivedAt = receivedAtOf(mail)
          if (since !== null && receivedAt !== null && receivedAt < since) continue
          // `*` is the newest mail, whatever its UID.
          if (uid < first || uid > last) continue
          // A server may tell of a mail again, when its flags change meanwhile.
          sizes.set(uid, size || (sizes.get(uid) ?? sourceBytesMax))
        }
      },
      { answerBytesMax: manyLinesBytesMax },
    )
    return [...sizes].map(([uid, size]) => ({ uid, size })).sort((a, b) => a.uid - b.uid)
  }

  #fetchGroup(uids: number[], sourceBytesMax: number): Promise<FetchedMail[]> {
    const query = { ...facts, source: { start: 0, maxLength: sourceBytesMax } }
    return this.#fetchEach(
      uids,
      query,
      (mail) => mail.source && toMail(mail, mail.source, sourceBytesMax),
      // The sizes that some servers tell are only nearly right.
      { movedBytes: groupBytesMax, answerBytesMax: 2 * groupBytesMax },
    )
  }

  #fetchHeaders(uids: number[]): Promise<FetchedMail[]> {
    return this.#fetchEach(
      uids,
      { ...facts, headers: true },
      (mail) => mail.headers && { ...toMail(mail, mail.headers, mail.headers.length), isCut: true },
    )
  }

  /** @returns each of the mails once, whatever else the server tells, and however often */
  async #fetchEach<T extends Pick<FetchedMail, 'uid'>>(
    uids: number[],
    query: FetchQueryObject,
    take: (mail: FetchMessageObject) => T | undefined,
    bytes: Moved = {},
  ): Promise<T[]> {
    const taken = new Map<number, T>()
    await this.#run(async (client) => {
      for await (const answer of client.fetch(uids, query, { uid: true })) {
        const isWanted = uids.includes(answer.uid) && !taken.has(answer.uid)
        const mail = isWanted ? take(answer) : undefined
        if (mail) taken.set(mail.uid, mail)
      }
    }, bytes)
    return [...taken.values()].sort((a, b) => a.uid - b.uid)
  }

  async #nextOf(path: string): Promise<number> {
    const status = await this.#client.status(path, { uidNext: true })
    return status ? (status.uidNext ?? 1) : 1
  }

  /** One command within its time, which is longer for one that moves many bytes. */
  async #run<T>(
    work: (client: ImapFlow) => Promise<T>,
    { movedBytes = 0, answerBytesMax }: Moved = {},
  ): Promise<T> {
    if (!this.isOpen) throw this.#closed()
    this.#answers.begin(answerBytesMax)
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      this.#client.close()
    }, this.#timeouts.commandMs + transferMsOf(this.#timeouts, movedBytes))
    try {
      const result = await work(this.#client)
      // imapflow takes the end of the connection for an answer to some commands.
      if (this.#answers.isExceeded) throw this.#closed()
      return result
    } catch (error) {
      if (isLate) throw new MailFailure('imap', 'timeout')
      throw this.#answers.isExceeded ? this.#closed() : imapFailure(error, false)
    } finally {
      clearTimeout(timer)
    }
  }

  #closed(): MailFailure {
    return new MailFailure('imap', this.#answers.isExceeded ? 'protocol' : 'closed')
  }
}

/** Of the failure to select a folder, after which others can be selected. */
export const tooManyMailsDetail = 'the folder has more than two million mails'

/** What is asked of a mail beside its text. */
const facts = { uid: true, flags: true, labels: true, internalDate: true, size: true }

/** Flags or labels of one mail that are kept. */
const wordsMax = 100

function receivedAtOf({ internalDate }: FetchMessageObject): Date | null {
  const receivedAt = new Date(internalDate ?? Number.NaN)
  return Number.isNaN(receivedAt.getTime()) ? null : receivedAt
}

function toMail(mail: FetchMessageObject, source: Buffer, sourceBytesMax: number): FetchedMail {
  const { size: sizeBytes = source.length } = mail
  return {
    uid: mail.uid,
    source,
    // The sizes that some servers tell are only nearly right.
    isCut: source.length >= sourceBytesMax && sizeBytes > source.length,
    sizeBytes,
    receivedAt: receivedAtOf(mail),
    flags: [...(mail.flags ?? [])].slice(0, wordsMax),
    labels: [...(mail.labels ?? [])].slice(0, wordsMax),
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
