import type { FetchedMail, MailFolder } from '../../../src/kernel/mail/index.ts'
import type { Random } from '../../random.ts'
import type { World } from '../engine/world.ts'
import type { SendingConditions } from './conditions.ts'
import { stranger } from './letters.ts'

interface FiledMail extends FetchedMail {
  messageId: string
  /** When it was put there, by the clock of leases: time that nobody lived through does not count. */
  filedAt: Date
}

export interface Folder extends MailFolder {
  uidValidity: number
  uidNext: number
  mails: FiledMail[]
}

/** What is wrong with the servers of a mailbox for a while. */
export interface Trouble {
  kind: 'down' | 'login' | 'quota'
  fromMs: number
  untilMs: number
}

export interface Account {
  address: string
  folders: Folder[]
  troubles: Trouble[]
  /** It files what was sent, as most do; the others keep it to themselves. */
  filesSent: boolean
  /** It puts a Message-ID of its own in the place of ours. */
  stamps: boolean
  readonly listeners: Set<Listener>
}

/** A connection with a folder selected. */
export interface Listener {
  folder: Folder | undefined
  isOpen: () => boolean
  hear: () => void
  hangUp: () => void
}

const hourMs = 3_600_000

/** The mailboxes at their providers: what is in them, and what is wrong with them. */
export class MailProviders {
  readonly accounts = new Map<string, Account>()
  readonly #world: World
  readonly #conditions: SendingConditions
  readonly #random: Random

  constructor(world: World, conditions: SendingConditions) {
    this.#world = world
    this.#conditions = conditions
    this.#random = world.random.fork('post office')
  }

  open(address: string) {
    const { troubles, renumberings, disturbedMs } = this.#conditions
    const folders = [folder('INBOX', 'inbox'), folder('Junk', 'junk'), folder('Sent', 'sent')]
    if (this.#random.chance(0.3)) folders.push(folder('All Mail', 'all'))
    const account: Account = {
      ...{ address, folders },
      troubles: Array.from({ length: this.#random.whole(0, troubles) }, () => this.#drawTrouble()),
      filesSent: this.#random.chance(0.7),
      stamps: this.#random.chance(0.2),
      listeners: new Set(),
    }
    this.accounts.set(address, account)
    this.#world.scheduler.after(this.#random.between(0, disturbedMs), null, () => {
      const { messageId, source } = stranger(`stranger-${address}`, address)
      this.deliver(address, messageId, source)
    })
    for (let done = 0; done < renumberings; done++) {
      const afterMs = this.#random.between(0, disturbedMs)
      this.#world.scheduler.after(afterMs, null, () => this.#renumber(account))
    }
  }

  account(address: string): Account {
    const account = this.accounts.get(address)
    if (!account) throw new Error('There is no such mailbox.')
    return account
  }

  /** Whoever reads it is connected, and would be told. */
  isReachable(account: Account): boolean {
    if (this.troubleOf(account)) return false
    return [...account.listeners].some((each) => each.isOpen())
  }

  /** Letters that lie where mailboxes are read, for at least so long. */
  *lyingFor(ms: number, isRead: (address: string) => boolean): Iterable<string> {
    const until = new Date(this.#world.leaseTime().getTime() - ms)
    for (const { address, folders } of this.accounts.values()) {
      if (!isRead(address)) continue
      for (const { specialUse, mails } of folders) {
        if (specialUse === 'sent') continue
        for (const { messageId, filedAt } of mails) if (filedAt <= until) yield messageId
      }
    }
  }

  troubleOf({ troubles }: Account): Trouble['kind'] | undefined {
    const { scheduler, environment } = this.#world
    if (environment.isClear) return undefined
    const now = scheduler.nowMs
    return troubles.find(({ fromMs, untilMs }) => now >= fromMs && now < untilMs)?.kind
  }

  /** Somebody's letter comes in, where a provider that doubles it has it twice. */
  deliver(address: string, messageId: string, source: string) {
    const account = this.account(address)
    const path = this.#isNoisy(0.3) ? 'Junk' : 'INBOX'
    for (const each of account.folders) {
      if (each.path === path || each.specialUse === 'all')
        this.#file(account, each, messageId, source)
    }
    this.#world.trace.add('', `mail ${messageId} is in ${path} of ${address}`)
  }

  /** A copy of what was sent. */
  fileSent(address: string, messageId: string, source: string) {
    const account = this.account(address)
    for (const each of account.folders) {
      if (each.specialUse === 'sent' || each.specialUse === 'all') {
        this.#file(account, each, messageId, source)
      }
    }
  }

  /** Nobody may have heard that there is more in this folder than was read. */
  #file(account: Account, where: Folder, messageId: string, source: string) {
    const { scheduler, environment } = this.#world
    const mail: FiledMail = {
      ...{ uid: 0, messageId, source: Buffer.from(source), isCut: false },
      ...{ sizeBytes: source.length, receivedAt: this.#world.time(), flags: [], labels: [] },
      filedAt: this.#world.leaseTime(),
    }
    const put = () => {
      mail.filedAt = this.#world.leaseTime()
      mail.uid = where.uidNext++
      where.mails.push(mail)
    }
    const tell = (afterMs: number) =>
      scheduler.after(afterMs, null, () => {
        for (const each of [...account.listeners]) if (each.folder === where) each.hear()
      })
    // The notification overtakes the mail.
    if (this.#isNoisy(0.3)) scheduler.after(this.#random.between(200, 2_000), null, put)
    else put()
    if (!this.#isNoisy(0.3)) tell(environment.latencyMs())
    if (this.#isNoisy(1)) tell(this.#random.between(0, 3_000))
    // Who was told nothing, or of another folder, finds it by connecting again.
    if (this.#isNoisy(3)) {
      scheduler.after(this.#random.between(3_000, 30_000), null, () => {
        for (const each of [...account.listeners]) each.hangUp()
      })
    }
  }

  #isNoisy(part: number): boolean {
    const { environment } = this.#world
    return !environment.isClear && this.#random.chance(part * this.#conditions.noiseChance)
  }

  #renumber({ address, folders }: Account) {
    const where = this.#random.pick(folders)
    where.uidValidity += 1
    where.mails.forEach((mail, index) => {
      mail.uid = index + 1
    })
    where.uidNext = where.mails.length + 1
    this.#world.note(`${where.path} of ${address} is numbered anew`)
  }

  #drawTrouble(): Trouble {
    const { disturbedMs } = this.#conditions
    const fromMs = this.#random.between(0, disturbedMs)
    const forMs = Math.min(this.#random.between(0.02, 0.3) * disturbedMs, 5 * hourMs)
    const kind = this.#random.pick(['down', 'login', 'quota'] as const)
    return { kind, fromMs, untilMs: fromMs + forMs }
  }
}

const folder = (path: string, specialUse: MailFolder['specialUse']): Folder => ({
  ...{ path, specialUse, uidValidity: 1, uidNext: 1, mails: [] },
})
