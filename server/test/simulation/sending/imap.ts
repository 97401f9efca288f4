import {
  type FetchedMail,
  type FetchOptions,
  type ImapConnection,
  MailFailure,
  type MailFolder,
} from '../../../src/kernel/mail/index.ts'
import type { MailConnection } from './mail-connection.ts'
import type { Folder, Listener } from './mail-providers.ts'

export class SimulatedImap implements ImapConnection {
  readonly #line: MailConnection
  #selected: Folder | undefined
  /** The server told of something since the folder was selected. */
  #hasNews = false
  #wake: (() => void) | undefined

  constructor(line: MailConnection) {
    this.#line = line
  }

  get isOpen(): boolean {
    return this.#line.isOpen
  }

  folders(): Promise<MailFolder[]> {
    const { account } = this.#line
    return this.#ask('LIST', () =>
      account.folders.map(({ path, specialUse }) => ({ path, specialUse })),
    )
  }

  select(path: string) {
    return this.#ask(`SELECT ${path}`, () => {
      const folder = this.#line.account.folders.find((each) => each.path === path)
      if (!folder) throw new MailFailure('imap', 'refused')
      this.#selected = folder
      this.#hasNews = false
      this.#listener.folder = folder
      this.#line.account.listeners.add(this.#listener)
      return { uidValidity: String(folder.uidValidity), uidNext: folder.uidNext }
    })
  }

  /** In pieces, as they come over the line: it may break between any two. */
  async *fetch(fromUid: number, { since = null }: FetchOptions): AsyncIterable<FetchedMail> {
    let next = fromUid
    for (;;) {
      const found = await this.#ask(`FETCH ${next}`, () =>
        this.#selected?.mails.find((mail) => mail.uid >= next && isSince(mail, since)),
      )
      if (!found) return
      next = found.uid + 1
      yield { ...found }
    }
  }

  findFirstSince(since: Date): Promise<number | null> {
    return this.#ask('SEARCH', () => {
      const day = new Date(since.getTime() - 86_400_000)
      return this.#selected?.mails.find((mail) => isSince(mail, day))?.uid ?? null
    })
  }

  findByMessageId(messageId: string): Promise<number[]> {
    return this.#ask('SEARCH', () =>
      (this.#selected?.mails ?? []).flatMap((mail) =>
        mail.messageId === messageId ? mail.uid : [],
      ),
    )
  }

  fetchSource(uid: number) {
    return this.#ask(`FETCH ${uid}`, () => {
      const found = this.#selected?.mails.find((mail) => mail.uid === uid)
      return found && { source: found.source, isCut: false }
    })
  }

  append(path: string, message: Buffer): Promise<void> {
    const { account, room } = this.#line
    return this.#ask(`APPEND ${path}`, () => {
      const source = message.toString()
      const messageId = /^Message-ID: (.*)\r$/m.exec(source)?.[1] ?? ''
      room.providers.fileSent(account.address, messageId, source)
    })
  }

  async idle(ms: number, signal?: AbortSignal): Promise<'changed' | 'timeout'> {
    const { process, room } = this.#line
    const { scheduler, environment } = room.world
    const breaks = !environment.isClear && room.random.chance(room.conditions.mailResetChance)
    if (!this.#hasNews && !signal?.aborted) {
      await new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve(), { once: true })
        this.#wake = () => scheduler.after(environment.latencyMs(), process, resolve)
        scheduler.after(Math.max(1, ms), process, resolve, 'listening')
      })
      this.#wake = undefined
    }
    if (breaks || !this.#line.isOpen) {
      this.#line.isOpen = false
      throw new MailFailure('imap', 'closed')
    }
    return this.#hasNews ? 'changed' : 'timeout'
  }

  async [Symbol.asyncDispose]() {
    this.#line.isOpen = false
    this.#line.account.listeners.delete(this.#listener)
  }

  readonly #listener: Listener = {
    folder: undefined,
    isOpen: () => this.#line.isOpen && this.#line.process.alive,
    hear: () => {
      this.#hasNews = true
      this.#wake?.()
    },
    hangUp: () => {
      this.#line.isOpen = false
      this.#wake?.()
    },
  }

  #ask<T>(what: string, serve: () => T): Promise<T> {
    return this.#line.ask('imap', what, () => {
      const trouble = this.#line.room.providers.troubleOf(this.#line.account)
      if (trouble === 'down' || trouble === 'login') {
        this.#line.isOpen = false
        throw new MailFailure('imap', 'closed')
      }
      return serve()
    })
  }
}

const isSince = ({ receivedAt }: Pick<FetchedMail, 'receivedAt'>, since: Date | null) =>
  since === null || receivedAt === null || receivedAt >= since
