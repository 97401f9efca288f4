import { hourMs } from '../../kernel/durations.ts'
import type { SandboxClock } from '../clock.ts'
import type { SubmittedMail } from '../mail-server/index.ts'
import { type Character, characterOf } from './character.ts'
import {
  type Letter,
  type Writer,
  writeAbsence,
  writeComplaint,
  writeDeliveryReport,
  writeReply,
} from './letter.ts'
import type { MadeUpPerson } from './made-up.ts'
import {
  followLink,
  type ReceivedMail,
  readMail,
  showImages,
  unsubscribeAtOnce,
  unsubscribeOnPage,
} from './mail-program.ts'
import { returnDay, words } from './words.ts'

/** Says no at the door of the mail server; a code and a sentence. */
export interface Refusal {
  code: number
  sentence: string
}

interface Person extends Writer {
  number: number
  character: Character
  mailsReceived: number
  wasGreylisted: boolean
}

/** Everybody a campaign writes to, and what they do about it by themselves. */
export class People {
  readonly #clock: SandboxClock
  readonly #deliver: (letter: Letter) => Promise<void>
  readonly #people = new Map<string, Person>()

  constructor(
    clock: SandboxClock,
    people: MadeUpPerson[],
    deliver: (letter: Letter) => Promise<void>,
  ) {
    this.#clock = clock
    this.#deliver = deliver
    for (const [number, { email, first_name, last_name }] of people.entries()) {
      this.#people.set(email, {
        ...{ number, email, name: `${first_name} ${last_name}` },
        character: characterOf(number),
        ...{ mailsReceived: 0, wasGreylisted: false },
      })
    }
  }

  /** Asked for every recipient before a mail is taken. */
  refuse(address: string): Refusal | undefined {
    const person = this.#people.get(address)
    if (person?.character === 'never_existed') {
      return { code: 550, sentence: '5.1.1 No such user here' }
    }
    if (person?.character !== 'is_greylisted' || person.wasGreylisted) return undefined
    person.wasGreylisted = true
    return { code: 450, sentence: '4.2.0 Greylisted, try again in five minutes' }
  }

  /** A mail has come. The same person does the same about it every time. */
  receive({ to, source }: SubmittedMail): void {
    const person = this.#people.get(to)
    if (!person) return
    person.mailsReceived += 1
    const react = this.#reaction(person)
    if (!react) return
    this.#clock.in(delayMs(person), async () => react(await readMail(source)))
  }

  #reaction(person: Person): ((mail: ReceivedMail) => Promise<void>) | undefined {
    const isFirst = person.mailsReceived === 1
    switch (person.character) {
      case 'opens':
        return showImages
      case 'clicks':
        return isFirst ? openAndFollow : showImages
      case 'wants_demo':
      case 'misses_demo':
      case 'declines':
      case 'asks':
      case 'asks_price':
      case 'knows_better':
        return this.#replyTo(person, person.character)
      case 'away_until':
      case 'away':
        return isFirst ? this.#absence(person, person.character) : showImages
      case 'has_left':
      case 'is_full':
        return isFirst ? this.#report(person, person.character) : undefined
      case 'unsubscribes_at_once':
        return unsubscribeAtOnce
      case 'unsubscribes_on_page':
        return unsubscribeOnPage
      case 'complains':
        return (mail) => this.#deliver(writeComplaint(person.email, mail, this.#clock.now()))
      default:
        return undefined
    }
  }

  /** Some answer the first mail and some the second; who answers has looked at it. */
  #replyTo(person: Person, character: keyof typeof words) {
    if (person.mailsReceived !== 1 + (person.number % 2)) return undefined
    return async (mail: ReceivedMail) => {
      await showImages(mail)
      await this.#deliver(writeReply(person, mail, words[character], this.#clock.now()))
    }
  }

  #absence(person: Person, character: 'away' | 'away_until') {
    return (mail: ReceivedMail) => {
      const now = this.#clock.now()
      const text =
        character === 'away'
          ? 'I am out of the office. In urgent cases please call our front desk.'
          : `I am out of the office and will be back on ${returnDay(now)}.`
      return this.#deliver(writeAbsence(person, mail, text, now))
    }
  }

  #report(person: Person, character: keyof typeof reports) {
    return (mail: ReceivedMail) =>
      this.#deliver(writeDeliveryReport(person.email, mail, reports[character], this.#clock.now()))
  }
}

const reports = {
  has_left: {
    action: 'failed',
    status: '5.1.1',
    diagnostic: '550 5.1.1 The email account that you tried to reach does not exist',
  },
  is_full: {
    action: 'delayed',
    status: '4.2.2',
    diagnostic: '452 4.2.2 The mailbox is full; the mail is tried again',
  },
} as const

async function openAndFollow(mail: ReceivedMail) {
  await showImages(mail)
  await followLink(mail)
}

/** Machines answer at once; people when they come to it, within the day. */
function delayMs({ number, character }: Person): number {
  const isMachine = ['away', 'away_until', 'has_left', 'is_full'].includes(character)
  return isMachine ? 60_000 : hourMs * (0.5 + ((number * 7) % 11) / 2)
}
