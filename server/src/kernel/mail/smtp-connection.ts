import { domainToASCII } from 'node:url'
import { finalDot, stuffDots } from './dots.ts'
import { MailFailure, type MailStage } from './failure.ts'
import type { Envelope, SmtpConnection } from './mail.ts'
import { type Reply, refusal } from './reply.ts'
import type { Extensions } from './smtp-login.ts'
import type { SmtpWire } from './smtp-wire.ts'
import { type MailTimeouts, transferMsOf } from './timeouts.ts'

/** Up to this size the message and its final dot are one write. */
const oneWriteBytesMax = 65_536
const goodbyeMs = 1_000

/**
 * A connection that is logged in. `idle` takes a `begin`, which leads to `begun` (the server said 354)
 * or, refused, back to `idle`; `finish` leads back as well. Whatever leaves the two sides with
 * different ideas of where they are closes the connection.
 */
export class LoggedInSmtp implements SmtpConnection {
  readonly #wire: SmtpWire
  readonly #timeouts: MailTimeouts
  readonly #monotonicMs: () => number
  #heardMs: number
  readonly #pipelines: boolean
  readonly #takesSize: boolean
  readonly #sizeMaxBytes: number | null
  readonly #supportsUtf8: boolean
  #state: 'idle' | 'busy' | 'begun' = 'idle'
  /** The server still holds the envelope of a mail that was refused. */
  #needsReset = false
  /** Said behind the last message. */
  #announced: { envelope: Envelope; commands: Command[] } | undefined

  constructor(
    wire: SmtpWire,
    extensions: Extensions,
    { timeouts, monotonicMs }: { timeouts: MailTimeouts; monotonicMs: () => number },
  ) {
    this.#wire = wire
    this.#monotonicMs = monotonicMs
    this.#heardMs = monotonicMs()
    this.#timeouts = timeouts
    const size = extensions.get('SIZE')
    this.#takesSize = size !== undefined
    this.#sizeMaxBytes = Number(size) > 0 ? Number(size) : null
    this.#supportsUtf8 = extensions.has('SMTPUTF8')
    this.#pipelines = extensions.has('PIPELINING')
  }

  get isOpen(): boolean {
    return this.#wire.isOpen
  }

  async begin(envelope: Envelope): Promise<void> {
    this.#enter('idle')
    try {
      if (this.#announced) await this.#beginAnnounced(envelope)
      else await this.#beginAnew(envelope)
      if (this.#wire.hasUnasked) throw this.#lost(new MailFailure('data', 'protocol'))
      this.#state = 'begun'
    } catch (failure) {
      this.#state = 'idle'
      throw failure
    }
  }

  async #beginAnew(envelope: Envelope): Promise<void> {
    const commands = this.#commandsOf(envelope)
    if (this.#wire.hasUnasked) throw await this.#unasked('mail')
    await this.#checkAlive()
    await this.#send(commands, envelope.to.length === 1)
  }

  /** Only what was announced: the server has said 354, or will, and takes nothing else any more. */
  async #beginAnnounced(envelope: Envelope): Promise<void> {
    const announced = this.#announced
    this.#announced = undefined
    if (announced?.envelope !== envelope) throw this.#lost(new MailFailure('connect', 'closed'))
    await this.#hear(announced.commands)
  }

  async finish(message: Buffer, next?: Envelope): Promise<void> {
    this.#enter('begun')
    try {
      await this.#upload(stuffDots(message), next)
      const reply = await this.#wire.read('message', this.#timeouts.acceptanceMs, false)
      if (reply.code >= 200 && reply.code < 300) return
      if (reply.code >= 400) throw this.#refused('message', reply)
      // A 3xx here means nothing: what became of the mail is not known.
      throw this.#lost(refusal('message', reply, { certain: false }))
    } finally {
      this.#heardMs = this.#monotonicMs()
      this.#state = 'idle'
    }
  }

  async close(): Promise<void> {
    if (this.#state === 'idle' && !this.#announced) await this.#wire.quit(goodbyeMs)
    else this.#wire.abort('closed')
  }

  /** What `begin` says, in order, and what it expects to hear. */
  #commandsOf({ from, to, sizeBytes, utf8 }: Envelope): Command[] {
    const addresses = [from, ...to].map(toWire)
    const needsUtf8 = utf8 || addresses.some((address) => !isAscii.test(address))
    if (needsUtf8 && !this.#supportsUtf8) {
      throw new MailFailure('mail', 'refused', {
        ...{ code: 550, enhanced: '5.6.7', detail: 'the server takes no addresses beyond ASCII' },
      })
    }
    if (this.#sizeMaxBytes !== null && sizeBytes > this.#sizeMaxBytes) {
      throw new MailFailure('mail', 'refused', {
        ...{ code: 552, enhanced: '5.3.4', detail: 'the message is larger than the server takes' },
      })
    }
    const size = this.#takesSize ? ` SIZE=${sizeBytes}` : ''
    const encoding = needsUtf8 ? ' BODY=8BITMIME SMTPUTF8' : ''
    const [sender, ...recipients] = addresses
    return [
      ...(this.#needsReset ? [{ line: 'RSET', stage: 'mail' as const, code: 250 }] : []),
      { line: `MAIL FROM:<${sender}>${size}${encoding}`, stage: 'mail', code: 250 },
      ...recipients.map((address, i) => ({
        ...{ line: `RCPT TO:<${address}>`, stage: 'rcpt' as const, code: 250 },
        recipient: to[i] ?? '',
      })),
      { line: 'DATA', stage: 'data', code: 354 },
    ]
  }

  /** A connection that died unheard is told from a server that does not take the mail. */
  async #checkAlive(): Promise<void> {
    if (this.#monotonicMs() - this.#heardMs <= this.#timeouts.staleMs) return
    this.#wire.write('NOOP\r\n')
    const reply = await this.#wire.read('connect', this.#timeouts.aliveMs)
    if (reply.code >= 400) throw this.#lost(refusal('connect', reply))
  }

  /**
   * With one recipient all commands go out at once: DATA fails when that one was refused (RFC 2920
   * §3.1). With several it waits for all of them: a server that took one would say 354, and after that
   * there is no way back but to close.
   */
  async #send(commands: Command[], dataToo: boolean): Promise<void> {
    const size = this.#pipelines ? commands.length - (dataToo ? 0 : 1) : 1
    for (let at = 0; at < commands.length; at += at === 0 ? size : 1) {
      const group = commands.slice(at, at === 0 ? size : at + 1)
      this.#needsReset = true
      this.#wire.write(linesOf(group))
      await this.#hear(group)
    }
  }

  /** All answers to these commands, whatever the first of them says. */
  async #hear(commands: Command[]): Promise<void> {
    let failure: MailFailure | undefined
    for (const command of commands) {
      const reply = await this.#wire.read(command.stage, this.#timeouts.commandMs)
      const isTaken = reply.code === command.code || (command.code === 250 && reply.code === 251)
      if (!isTaken) failure ??= this.#refused(command.stage, reply, command.recipient)
      // The server waits for a message that must not come.
      else if (failure && command.code === 354) this.#wire.abort('closed')
      if (failure?.code === 421) throw failure
    }
    if (failure) throw failure
    if (commands.at(-1)?.code === 354) this.#needsReset = false
  }

  /** Up to and with the final dot; what fails before it is certain. */
  async #upload(body: Buffer, next: Envelope | undefined): Promise<void> {
    if (this.#wire.hasUnasked) throw await this.#unasked('data')
    if (!this.isOpen) throw new MailFailure('data', 'closed')
    if (body.length <= oneWriteBytesMax) {
      this.#wire.write(Buffer.concat([body, finalDot, this.#announce(next)]))
      return
    }
    const failure = await this.#wire.flush(body, transferMsOf(this.#timeouts, body.length))
    if (this.#wire.hasUnasked) throw await this.#unasked('data')
    if (failure) throw new MailFailure('data', failure)
    this.#wire.write(finalDot)
  }

  /** With one recipient, where the server pipelines: the commands that may leave with the message. */
  #announce(envelope: Envelope | undefined): Buffer {
    if (!envelope || !this.#pipelines || envelope.to.length !== 1) return nothing
    try {
      const commands = this.#commandsOf(envelope)
      this.#announced = { envelope, commands }
      this.#needsReset = true
      return Buffer.from(linesOf(commands))
    } catch {
      // It is no business of this message: `begin` says so.
      return nothing
    }
  }

  #refused(stage: MailStage, reply: Reply, recipient?: string): MailFailure {
    const failure = refusal(stage, reply, recipient === undefined ? {} : { recipient })
    // 421: the server closes, whatever was asked (RFC 5321 §3.8). 3xx: it expects what we do not.
    return reply.code === 421 || failure.kind === 'protocol' ? this.#lost(failure) : failure
  }

  /** The server said something by itself: that it closes (421), or will not take so much. */
  async #unasked(stage: MailStage): Promise<MailFailure> {
    const reply = await this.#wire.read(stage, this.#timeouts.commandMs)
    return this.#lost(
      reply.code >= 400 ? refusal(stage, reply) : new MailFailure(stage, 'protocol'),
    )
  }

  #lost(failure: MailFailure): MailFailure {
    this.#wire.abort(failure.kind)
    return failure
  }

  #enter(state: 'idle' | 'begun'): void {
    if (this.#state !== state) throw new Error(`A mail is ${this.#state} on this connection.`)
    this.#state = 'busy'
  }
}

interface Command {
  line: string
  stage: 'mail' | 'rcpt' | 'data'
  code: number
  recipient?: string
}

const nothing = Buffer.alloc(0)

const linesOf = (commands: Command[]) => `${commands.map(({ line }) => line).join('\r\n')}\r\n`

const isAscii = /^[\x21-\x7e]*$/

/** The domain in ASCII form, which every server takes. */
function toWire(address: string): string {
  if (isAscii.test(address) && !/[<>]/.test(address)) return address
  if (/[\p{Cc}\p{Z}<>]/u.test(address)) throw new Error('An address that no command can hold.')
  const at = address.lastIndexOf('@')
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`
}
