import type { Socket } from 'node:net'
import { Folder } from './folder.ts'
import { decodeName } from './folder-name.ts'
import { describeStatus, listFolders } from './imap-folders.ts'
import { findLogin, findSasl } from './imap-login.ts'
import { ImapOutput } from './imap-output.ts'
import { ImapReader } from './imap-reader.ts'
import { SelectedFolder } from './imap-selected.ts'
import { readWords, textOf, type Word } from './imap-words.ts'
import type { Account, MailStore } from './store.ts'

/**
 * One connection of IMAP4rev1 (RFC 3501) with what mail programs count on: IDLE, SPECIAL-USE, UIDPLUS,
 * SASL-IR. No ENVELOPE and no BODYSTRUCTURE.
 */
export class ImapSession {
  readonly #store: MailStore
  readonly #capabilities: string
  readonly #output: ImapOutput
  readonly #reader: ImapReader
  #account: Account | undefined
  #selected: SelectedFolder | undefined

  constructor(socket: Socket, store: MailStore, capabilities: string) {
    this.#store = store
    this.#capabilities = capabilities
    this.#output = new ImapOutput(socket)
    this.#reader = new ImapReader(socket, () => this.#output.say('+ go ahead'))
  }

  /** Resolves when the connection is over. */
  async serve(): Promise<void> {
    this.#output.say(`* OK [CAPABILITY ${this.#capabilities}] Outrider's sandbox is ready`)
    try {
      for (let isOver = false; !isOver; ) {
        const parts = await this.#reader.command()
        isOver = !parts || (await this.#take(readWords(parts) ?? []))
      }
    } finally {
      this.#selected?.leave()
      this.#account?.sessions.delete(this.#end)
      this.#output.end()
    }
  }

  readonly #end = () => {
    this.#output.say('* BYE log in again')
    this.#output.end()
  }

  /** True after the last command. */
  async #take([tagWord, nameWord, ...words]: Word[]): Promise<boolean> {
    const name = textOf(nameWord).toUpperCase()
    const outcome = await this.#run(name, words)
    this.#selected?.tellChanges()
    this.#output.say(`${textOf(tagWord) || '*'} ${outcome ?? 'BAD not understood here'}`)
    return name === 'LOGOUT'
  }

  /** The answer after the tag; nothing when the command was not understood. */
  async #run(name: string, words: Word[]): Promise<string | undefined> {
    switch (name) {
      case 'CAPABILITY':
        return this.#answer(`* CAPABILITY ${this.#capabilities}`)
      case 'NOOP':
      case 'CHECK':
        return done
      case 'ID':
        return this.#answer('* ID ("name" "Outrider sandbox")')
      case 'LOGOUT':
        return this.#answer('* BYE until next time')
      case 'LOGIN': {
        const [username, password] = words.map(textOf)
        return this.#enter(findLogin(this.#store, username ?? '', { password: password ?? '' }))
      }
      case 'AUTHENTICATE':
        return await this.#authenticate(textOf(words[0]).toUpperCase(), words[1])
    }
    return this.#account ? await this.#runFor(this.#account, name, words) : 'NO log in first'
  }

  async #runFor(account: Account, name: string, words: Word[]): Promise<string | undefined> {
    switch (name) {
      case 'NAMESPACE':
        return this.#answer('* NAMESPACE (("" "/")) NIL NIL')
      case 'LIST':
      case 'LSUB':
        return this.#answer(...listFolders(account, name, words))
      case 'STATUS': {
        const folder = findFolder(account, words[0])
        return folder ? this.#answer(describeStatus(folder, words[1])) : noFolder
      }
      case 'SELECT':
      case 'EXAMINE':
        return this.#select(findFolder(account, words[0]), name === 'EXAMINE')
      case 'CREATE': {
        const path = decodeName(textOf(words[0]))
        if (account.folders.has(path)) return 'NO [ALREADYEXISTS] it is there'
        account.folders.set(path, new Folder(path))
        return done
      }
      case 'APPEND':
        return this.#append(findFolder(account, words[0]), words)
    }
    return this.#selected ? await this.#runIn(this.#selected, name, words) : 'NO select a folder'
  }

  async #runIn(selected: SelectedFolder, name: string, words: Word[]) {
    switch (name) {
      case 'IDLE':
        return await this.#idle(selected)
      case 'EXPUNGE':
        selected.expunge()
        return done
      case 'CLOSE':
      case 'UNSELECT':
        if (name === 'CLOSE') selected.expunge()
        selected.leave()
        this.#selected = undefined
        return done
    }
    const byUid = name === 'UID'
    const command = byUid ? textOf(words.shift()).toUpperCase() : name
    return (await selected.read(command, words, byUid)) ? done : undefined
  }

  async #authenticate(mechanism: string, initial: Word | undefined): Promise<string> {
    if (mechanism !== 'PLAIN' && mechanism !== 'XOAUTH2') return 'NO not offered'
    if (initial === undefined) this.#output.say('+ ')
    const answer = initial === undefined ? await this.#reader.line() : textOf(initial)
    const account = findSasl(this.#store, mechanism, answer ?? '')
    if (!account && mechanism === 'XOAUTH2') {
      // The reason comes first; the client acknowledges it.
      this.#output.say(`+ ${Buffer.from('{"status":"401"}').toString('base64')}`)
      await this.#reader.line()
    }
    return this.#enter(account)
  }

  #enter(account: Account | undefined): string {
    if (!account) return 'NO [AUTHENTICATIONFAILED] Invalid credentials'
    this.#account?.sessions.delete(this.#end)
    this.#account = account
    account.sessions.add(this.#end)
    return `OK [CAPABILITY ${this.#capabilities}] welcome`
  }

  #select(folder: Folder | undefined, isReadOnly: boolean): string {
    this.#selected?.leave()
    this.#selected = folder && new SelectedFolder(folder, this.#output, isReadOnly)
    return folder ? `OK [READ-${isReadOnly ? 'ONLY' : 'WRITE'}] selected` : noFolder
  }

  #append(folder: Folder | undefined, words: Word[]): string | undefined {
    const source = words.at(-1)
    if (!folder) return 'NO [TRYCREATE] no such folder'
    if (!Buffer.isBuffer(source)) return
    const flags = words.find((word) => Array.isArray(word)) ?? []
    const { uid } = folder.add(source, this.#store.now(), flags.map(textOf))
    return `OK [APPENDUID ${folder.uidValidity} ${uid}] done`
  }

  async #idle(selected: SelectedFolder): Promise<string | undefined> {
    this.#output.say('+ idling')
    selected.isIdle = true
    selected.tellChanges()
    const line = await this.#reader.line()
    selected.isIdle = false
    return line?.toUpperCase() === 'DONE' ? done : undefined
  }

  #answer(...lines: string[]): string {
    this.#output.say(...lines)
    return done
  }
}

function findFolder({ folders }: Account, word: Word | undefined): Folder | undefined {
  const path = decodeName(textOf(word))
  return folders.get(path.toUpperCase() === 'INBOX' ? 'INBOX' : path)
}

const done = 'OK done'
const noFolder = 'NO [NONEXISTENT] no such folder'
