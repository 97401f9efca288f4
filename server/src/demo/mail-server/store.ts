import { parseEmail } from '../../kernel/email.ts'
import { Folder } from './folder.ts'

export interface AccountOptions {
  address: string
  password: string
  /** Taken for XOAUTH2 as well. */
  accessToken?: string
  /** The server itself files what the account sends, as Gmail does. */
  keepsSent?: boolean
  /** Besides INBOX: path to special use. */
  folders?: Record<string, string | null>
}

export interface Account {
  address: string
  password: string
  accessToken: string | undefined
  keepsSent: boolean
  folders: Map<string, Folder>
  /** Each ends one that is logged in. */
  sessions: Set<() => void>
}

export interface SubmittedMail {
  from: string
  to: string
  source: Buffer
}

export interface MailStoreOptions {
  now: () => Date
  /** Takes what goes to an address that is no account; without it that is refused. */
  onOutside?: (mail: SubmittedMail) => void
}

const usualFolders = {
  Sent: '\\Sent',
  Drafts: '\\Drafts',
  Junk: '\\Junk',
  Trash: '\\Trash',
}

/** Everybody's mail, in memory. */
export class MailStore {
  readonly #options: MailStoreOptions
  readonly #accounts = new Map<string, Account>()

  constructor(options: MailStoreOptions) {
    this.#options = options
  }

  addAccount(options: AccountOptions): Account {
    const { address, password, accessToken, keepsSent = false } = options
    const paths = Object.entries({ INBOX: null, ...(options.folders ?? usualFolders) })
    const folders = new Map(paths.map(([path, use]) => [path, new Folder(path, use)]))
    const sessions = new Set<() => void>()
    const account = { address, password, accessToken, keepsSent, folders, sessions }
    this.#accounts.set(fold(address), account)
    return account
  }

  find(address: string): Account | undefined {
    return this.#accounts.get(fold(address))
  }

  /** Mail programs that are logged in have to do so anew. */
  changePassword(address: string, password: string): void {
    const account = this.find(address)
    if (!account) return
    account.password = password
    for (const end of [...account.sessions]) end()
  }

  now(): Date {
    return this.#options.now()
  }

  takes(address: string): boolean {
    return this.#options.onOutside !== undefined || this.find(address) !== undefined
  }

  /** A mail that an account sends, to each of its recipients. */
  submit(sender: Account, { from, to, source }: { from: string; to: string[]; source: Buffer }) {
    if (sender.keepsSent) this.file(sender, source, '\\Sent', ['\\Seen'])
    for (const address of to) {
      const receiver = this.find(address)
      if (receiver) this.file(receiver, source)
      else this.#options.onOutside?.({ from, to: address, source })
    }
  }

  /** Puts a mail into the folder of a use, INBOX without one. */
  file(account: Account, source: Buffer, use: string | null = null, flags: string[] = []): void {
    const folders = [...account.folders.values()]
    const folder = folders.find(({ path, specialUse }) =>
      use === null ? path === 'INBOX' : specialUse === use,
    )
    folder?.add(source, this.now(), flags)
  }
}

const fold = (address: string) => parseEmail(address)?.folded ?? address.toLowerCase()
