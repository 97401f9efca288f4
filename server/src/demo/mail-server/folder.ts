export interface KeptMail {
  uid: number
  source: Buffer
  flags: Set<string>
  receivedAt: Date
  /** As Gmail has them, of a server that says so (X-GM-EXT-1). */
  labels?: string[]
}

/** A folder of an account, as IMAP sees it: mails in the order of their UIDs. */
export class Folder {
  readonly path: string
  /** As in RFC 6154: `\Sent`. */
  readonly specialUse: string | null
  uidValidity = 1
  uidNext = 1
  mails: KeptMail[] = []
  readonly #watchers = new Set<() => void>()

  constructor(path: string, specialUse: string | null = null) {
    this.path = path
    this.specialUse = specialUse
  }

  add(source: Buffer, receivedAt: Date, flags: string[] = []): KeptMail {
    const mail: KeptMail = { uid: this.uidNext++, source, flags: new Set(flags), receivedAt }
    this.mails.push(mail)
    this.#changed()
    return mail
  }

  remove(uids: Set<number>): void {
    this.mails = this.mails.filter((mail) => !uids.has(mail.uid))
    this.#changed()
  }

  /** All UIDs become others, as after a server lost its index: sessions that hold them are over. */
  renumber(): void {
    this.uidValidity++
    for (const [i, mail] of this.mails.entries()) mail.uid = i + 1
    this.uidNext = this.mails.length + 1
    this.#changed()
  }

  /** Calls back on every change, until the answer is called. */
  watch(look: () => void): () => void {
    this.#watchers.add(look)
    return () => this.#watchers.delete(look)
  }

  #changed(): void {
    for (const look of [...this.#watchers]) look()
  }
}
