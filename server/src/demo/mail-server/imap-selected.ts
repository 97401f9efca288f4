import type { Folder, KeptMail } from './folder.ts'
import { answerFetch, readItems } from './imap-fetch.ts'
import type { ImapOutput } from './imap-output.ts'
import { readCriteria } from './imap-search.ts'
import { isSet, readSet } from './imap-sets.ts'
import { textOf, type Word } from './imap-words.ts'

interface Numbered {
  mail: KeptMail
  sequence: number
}

const usualFlags = '\\Answered \\Flagged \\Deleted \\Seen \\Draft'

/** A folder as one session sees it: its sequence numbers stand still until it is told of changes. */
export class SelectedFolder {
  /** The session may be told of changes at any time. */
  isIdle = false
  readonly isReadOnly: boolean
  readonly #folder: Folder
  readonly #output: ImapOutput
  readonly #uidValidity: number
  readonly #unwatch: () => void
  #mails: KeptMail[]

  constructor(folder: Folder, output: ImapOutput, isReadOnly: boolean) {
    this.#folder = folder
    this.#output = output
    this.isReadOnly = isReadOnly
    this.#uidValidity = folder.uidValidity
    this.#mails = [...folder.mails]
    this.#unwatch = folder.watch(() => {
      if (this.isIdle) this.tellChanges()
    })
    output.say(
      `* FLAGS (${usualFlags})`,
      `* ${folder.mails.length} EXISTS`,
      '* 0 RECENT',
      `* OK [UIDVALIDITY ${folder.uidValidity}] valid`,
      `* OK [UIDNEXT ${folder.uidNext}] next`,
      `* OK [PERMANENTFLAGS (${usualFlags} \\*)] kept`,
    )
  }

  leave(): void {
    this.#unwatch()
  }

  /** SEARCH, FETCH or STORE; false when it was not understood. */
  async read(name: string, words: Word[], byUid: boolean): Promise<boolean> {
    if (name === 'SEARCH') return this.#search(words, byUid)
    const set = textOf(words[0])
    if (!isSet(set)) return false
    const isIn = readSet(set, byUid ? (this.#mails.at(-1)?.uid ?? 0) : this.#mails.length)
    const chosen = this.#mails
      .map((mail, i) => ({ mail, sequence: i + 1 }))
      .filter(({ mail, sequence }) => isIn(byUid ? mail.uid : sequence))
    if (name === 'FETCH') return await this.#fetch(chosen, words[1], byUid)
    return name === 'STORE' && this.#flag(chosen, textOf(words[1]), words[2], byUid)
  }

  expunge(): void {
    if (this.isReadOnly) return
    const deleted = this.#folder.mails.filter(({ flags }) => flags.has('\\Deleted'))
    this.#folder.remove(new Set(deleted.map(({ uid }) => uid)))
  }

  /** What the client does not know yet. */
  tellChanges(): void {
    const folder = this.#folder
    if (folder.uidValidity !== this.#uidValidity) {
      this.#output.say('* BYE the folder has got new numbers')
      this.#output.end()
      return
    }
    const present = new Set(folder.mails)
    const known = this.#mails
    for (const [i, mail] of [...known.entries()].reverse()) {
      if (present.has(mail)) continue
      this.#output.say(`* ${i + 1} EXPUNGE`)
      known.splice(i, 1)
    }
    if (folder.mails.length === known.length) return
    this.#mails = [...folder.mails]
    this.#output.say(`* ${folder.mails.length} EXISTS`)
  }

  #search(words: Word[], byUid: boolean): boolean {
    const isNamed = textOf(words[0]).toUpperCase() === 'CHARSET'
    const fits = readCriteria(isNamed ? words.slice(2) : words, this.#mails)
    if (!fits) return false
    const found = this.#mails.flatMap((mail, i) =>
      fits(mail, i + 1) ? [byUid ? mail.uid : i + 1] : [],
    )
    this.#output.say(['* SEARCH', ...found].join(' '))
    return true
  }

  async #fetch(chosen: Numbered[], word: Word | undefined, byUid: boolean): Promise<boolean> {
    const items = readItems(word)
    if (!items) return false
    for (const { mail, sequence } of chosen) {
      const { chunks, marksSeen } = answerFetch(mail, items, byUid)
      if (marksSeen && !this.isReadOnly) mail.flags.add('\\Seen')
      const answer = [`* ${sequence} FETCH (`, ...chunks, ')\r\n']
      await this.#output.write(
        Buffer.concat(
          answer.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
        ),
      )
    }
    return true
  }

  #flag(chosen: Numbered[], action: string, word: Word | undefined, byUid: boolean): boolean {
    const match = /^([+-]?)FLAGS(\.SILENT)?$/i.exec(action)
    if (!match || this.isReadOnly) return false
    const flags = Array.isArray(word) ? word.map(textOf) : [textOf(word)]
    for (const { mail, sequence } of chosen) {
      if (match[1] === '') mail.flags.clear()
      for (const flag of flags) mail.flags[match[1] === '-' ? 'delete' : 'add'](flag)
      if (match[2]) continue
      const uid = byUid ? ` UID ${mail.uid}` : ''
      this.#output.say(`* ${sequence} FETCH (FLAGS (${[...mail.flags].join(' ')})${uid})`)
    }
    return true
  }
}
