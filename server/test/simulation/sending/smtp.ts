import { type Envelope, MailFailure, type SmtpConnection } from '../../../src/kernel/mail/index.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { ReceivedMail } from './letters.ts'
import type { MailConnection, MailWorld } from './mail-connection.ts'

/** Who knows what a server of the mailbox took, or whom it refuses. */
export interface Recipients {
  refuse(address: string): MailFailure | undefined
  /** An operator changes his mind about a mail to this address. */
  doubt(address: string): void
  /** It was taken: from here on it counts. */
  accept(process: SimulatedProcess, mail: ReceivedMail, source: string): void
}

/** A server closes a line that nothing was said on for so long. */
const idleMaxMs = 60_000
/** It is looked so often whether somebody is still stuck. */
const stuckStepMs = 200

export class SimulatedSmtp implements SmtpConnection {
  readonly #line: MailConnection
  readonly #recipients: Recipients
  readonly #room: MailWorld
  #usedAtMs: number
  #envelope: Envelope | undefined

  constructor(line: MailConnection, recipients: Recipients) {
    this.#line = line
    this.#room = line.room
    this.#recipients = recipients
    this.#usedAtMs = line.room.world.scheduler.nowMs
  }

  get isOpen(): boolean {
    return this.#line.isOpen
  }

  async begin(envelope: Envelope): Promise<void> {
    const { scheduler } = this.#room.world
    if (scheduler.nowMs - this.#usedAtMs > idleMaxMs) {
      this.#line.isOpen = false
      throw new MailFailure('connect', 'closed')
    }
    const to = envelope.to[0] ?? ''
    this.#getStuck(to)
    await this.#line.ask('rcpt', `RCPT ${to}`, () => {
      const failure = this.#troubled() ?? this.#recipients.refuse(to)
      if (failure) throw failure
      this.#envelope = envelope
    })
    await this.#hesitate(to)
    this.#usedAtMs = scheduler.nowMs
  }

  async finish(message: Buffer): Promise<void> {
    const { world, conditions, random } = this.#room
    await this.#disturb()
    const source = message.toString()
    const mail: ReceivedMail = {
      messageId: headerOf(source, 'Message-ID'),
      subject: headerOf(source, 'Subject'),
      from: this.#line.account.address,
      to: this.#envelope?.to[0] ?? '',
    }
    const losesAnswer = !world.environment.isClear && random.chance(conditions.lostAnswerChance)
    return this.#line.ask('message', `DATA ${mail.to}`, () => {
      const isRefused = !world.environment.isClear && random.chance(conditions.refusalChance / 2)
      if (isRefused) throw refusal('message', 451, '4.3.0', 'Try again later')
      const arrives = !losesAnswer || random.chance(0.5)
      if (arrives) this.#recipients.accept(this.#line.process, mail, source)
      this.#usedAtMs = world.scheduler.nowMs
      if (!losesAnswer) return
      this.#line.isOpen = false
      throw new MailFailure('message', random.pick(['closed', 'timeout']), { certain: false })
    })
  }

  async close(): Promise<void> {
    this.#line.isOpen = false
  }

  /** Until its time is over, or somebody else is in the middle of the same mail. */
  #getStuck(to: string) {
    const { world, conditions, random, stuck } = this.#room
    if (world.environment.isClear || !random.chance(conditions.stuckChance)) return
    const { scheduler } = world
    const { process } = this.#line
    const ms = random.between(1.5, 6) * conditions.leaseMs
    world.note(`${process.label} is stuck for ${Math.round(ms)} ms at most`)
    let untilMs = scheduler.nowMs + ms
    stuck.set(to, () => {
      untilMs = scheduler.nowMs
    })
    const standStill = () => {
      if (scheduler.nowMs >= untilMs || !process.alive) return
      process.stalledUntilMs = Math.max(process.stalledUntilMs, scheduler.nowMs + stuckStepMs)
      scheduler.after(stuckStepMs / 2, null, standStill)
    }
    standStill()
  }

  /** Whoever was given up before is back, while nobody knows yet what becomes of the mail. */
  async #disturb() {
    const { world, random, stuck } = this.#room
    const to = this.#envelope?.to[0] ?? ''
    const letGo = stuck.get(to)
    if (!stuck.delete(to) || world.environment.isClear) return
    letGo?.()
    await this.#pause(random.between(500, 4_000))
  }

  async #hesitate(to: string) {
    const { world, conditions, random } = this.#room
    if (world.environment.isClear || !random.chance(conditions.doubtChance)) return
    this.#recipients.doubt(to)
    await this.#pause(random.between(1_000, 6_000))
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#room.world.scheduler.after(ms, this.#line.process, resolve)
    })
  }

  #troubled(): MailFailure | undefined {
    const { world, conditions, random, providers } = this.#room
    const trouble = providers.troubleOf(this.#line.account)
    if (trouble === 'quota') {
      return refusal('mail', 550, '5.4.5', 'Daily user sending quota exceeded')
    }
    if (trouble) {
      this.#line.isOpen = false
      return refusal('mail', 421, '4.3.2', 'Closing')
    }
    if (world.environment.isClear || !random.chance(conditions.refusalChance)) return undefined
    return refusal('rcpt', 451, '4.2.0', 'Greylisted')
  }
}

export const refusal = (
  stage: MailFailure['stage'],
  code: number,
  enhanced: string,
  response: string,
  recipient: string | null = null,
) => new MailFailure(stage, 'refused', { code, enhanced, response, recipient })

const headerOf = (source: string, name: string) =>
  new RegExp(`^${name}: (.*(?:\r\n[ \t].*)*)\r\n`, 'im').exec(source)?.[1]?.trim() ?? ''
