import type { MailFailure } from '../../../src/kernel/mail/index.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { SendingConditions } from './conditions.ts'
import { absence, complaint, type Letter, type ReceivedMail, reply, report } from './letters.ts'
import type { MailProviders } from './mail-providers.ts'
import type { Recorder } from './recorder.ts'
import { type Recipients, refusal } from './smtp.ts'
import { dateOf } from './wall-clock.ts'

/** What an address is like: the first part of it says so. */
export const characters = [
  ...['silent', 'silent', 'silent', 'silent'],
  ...['writer', 'writer', 'shy', 'absent', 'away', 'gone', 'full', 'unknown', 'leaver', 'stopper'],
  'angry',
] as const
/** Those of them who answer. */
export const talkers = ['writer', 'shy', 'absent', 'away'] as const
type Character = (typeof characters)[number]

/** What somebody wants of us. */
interface Wishes {
  /** No more mail. */
  leave: (address: string) => void
  /** Not this mail. */
  doubt: (address: string) => void
}

const hourMs = 3_600_000

/** Those who are written to: what comes back from them, and when. */
export class People implements Recipients {
  readonly #world: World
  readonly #providers: MailProviders
  readonly #recorder: Recorder
  readonly #random: Random
  readonly #patienceMs: number
  readonly #wishes: Wishes
  #letters = 0
  /** Of what they are about to do. */
  pending = 0

  constructor(
    world: World,
    conditions: SendingConditions,
    providers: MailProviders,
    recorder: Recorder,
    wishes: Wishes,
  ) {
    this.#wishes = wishes
    this.#world = world
    this.#providers = providers
    this.#recorder = recorder
    this.#random = world.random.fork('people')
    this.#patienceMs = conditions.slow ? 40 * hourMs : hourMs / 2
  }

  refuse(address: string): MailFailure | undefined {
    if (characterOf(address) !== 'unknown') return undefined
    return refusal('rcpt', 550, '5.1.1', 'No such user here', address)
  }

  doubt(address: string) {
    this.#wishes.doubt(address)
  }

  accept(process: SimulatedProcess, mail: ReceivedMail, source: string) {
    this.#recorder.took(process, mail)
    const account = this.#providers.account(mail.from)
    const messageId = account.stamps ? `<stamped.${mail.messageId.slice(1)}` : mail.messageId
    const sent = { ...mail, messageId }
    if (account.filesSent) {
      this.#later(20_000, () =>
        this.#providers.fileSent(mail.from, messageId, source.replace(mail.messageId, messageId)),
      )
    }
    this.#answer(sent)
  }

  #answer(mail: ReceivedMail) {
    const character = characterOf(mail.to)
    if (character === 'leaver') {
      this.#later(this.#patienceMs, () => this.#wishes.leave(mail.to))
      return
    }
    const id = `${character}-${this.#letters++}`
    if (character === 'silent' || character === 'unknown') return
    this.#later(this.#patienceMs, () => {
      const returnsOn = character === 'absent' ? this.#drawReturn() : null
      const letter = letterOf(character, id, mail, returnsOn)
      const isCited = !this.#providers.account(mail.from).stamps
      this.#recorder.letters.set(letter.messageId, { character, to: mail.to, returnsOn, isCited })
      this.#providers.deliver(mail.from, letter.messageId, letter.source)
    })
  }

  #drawReturn(): string {
    const days = this.#random.whole(1, 6)
    return dateOf('UTC', this.#world.time().getTime() + days * 24 * hourMs)
  }

  #later(withinMs: number, act: () => void) {
    this.pending += 1
    this.#world.scheduler.after(this.#random.between(1_000, withinMs), null, () => {
      this.pending -= 1
      act()
    })
  }
}

function letterOf(
  character: Exclude<Character, 'silent' | 'unknown' | 'leaver'>,
  id: string,
  mail: ReceivedMail,
  returnsOn: string | null,
): Letter {
  switch (character) {
    case 'writer':
      return reply(id, mail, [mail.messageId], 'That sounds good, call me.')
    case 'shy':
      return reply(id, mail, [], 'Who are you?')
    case 'absent':
    case 'away':
      return absence(id, mail, returnsOn)
    case 'gone':
      return report(id, mail, 'hard')
    case 'full':
      return report(id, mail, 'soft')
    case 'stopper':
      return reply(id, mail, [mail.messageId], 'unsubscribe')
    case 'angry':
      return complaint(id, mail)
  }
}

const characterOf = (address: string) => address.split('-')[0] as Character
