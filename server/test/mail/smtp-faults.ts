import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { startTcpServer, type TcpServer } from '../tcp-server.ts'

/** What happens to a command; nothing: it is forwarded, and its answer comes back. */
export type SmtpFault =
  | undefined
  /** The server does not get to see it. */
  | { answer: string }
  /** It is carried out, and then the connection breaks. */
  | 'drop-after'
  | 'drop'
  | 'silence'
  /** An answer without an end, a byte at a time: no command after it is answered. */
  | 'drip'

export interface FaultySmtp extends TcpServer {
  /** Every line that clients sent, those of messages left out. */
  commands: string[]
}

/** Stands for the connection itself, and for the end of a message. */
export type SmtpMoment = 'CONNECT' | '.' | (string & {})

/**
 * Stands between a client and an SMTP server, one command at a time, and spoils what `fault` says. A
 * message is one command, its final dot.
 */
export async function startSmtpFaults(
  serverPort: number,
  fault: (moment: SmtpMoment, seenBefore: number) => SmtpFault,
): Promise<FaultySmtp> {
  const commands: string[] = []
  const front = await startTcpServer((client) => {
    const server = connect(serverPort, '127.0.0.1')
    server.on('error', () => undefined)
    client.once('close', () => server.destroy())
    const session = new Session(client, server, (moment) => {
      const before = commands.filter((line) => line === moment).length
      commands.push(moment)
      return fault(moment, before)
    })
    session.run().catch(() => client.destroy())
  })
  return Object.assign(front, { commands })
}

class Session {
  readonly #client: Socket
  readonly #server: Socket
  readonly #fault: (moment: SmtpMoment) => SmtpFault
  readonly #replies: AsyncIterator<string>
  #hasRecipient = false

  constructor(client: Socket, server: Socket, fault: (moment: SmtpMoment) => SmtpFault) {
    this.#client = client
    this.#server = server
    this.#fault = fault
    this.#replies = linesOf(server)
  }

  async run(): Promise<void> {
    await this.#pass('CONNECT', [''])
    const lines = linesOf(this.#client)
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const isMessage = line.value === 'DATA' && this.#hasRecipient
      if (!isMessage) await this.#pass(line.value, [`${line.value}\r\n`])
      else if ((await this.#spoil('DATA')) === undefined) await this.#passMessage(lines)
    }
  }

  /** The server hears of it only when it is to be taken. */
  async #passMessage(lines: AsyncIterator<string>): Promise<void> {
    this.#client.write('354 go on\r\n')
    let message = ''
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      message += `${line.value}\r\n`
      if (line.value === '.') break
    }
    if (await this.#pass('.', ['DATA\r\n', message])) return
    this.#server.write('RSET\r\n')
    await this.#readReply()
  }

  /** True when the server got to see it. */
  async #pass(moment: SmtpMoment, texts: string[]): Promise<boolean> {
    const fault = await this.#spoil(moment)
    if (fault !== undefined && fault !== 'drop-after') return false
    let reply = ''
    for (const text of texts) {
      this.#server.write(text)
      reply = await this.#readReply()
    }
    this.#hasRecipient = moment.startsWith('RCPT') && reply.startsWith('250')
    if (fault === 'drop-after') this.#client.destroy()
    else this.#client.write(reply)
    return true
  }

  async #spoil(moment: SmtpMoment): Promise<SmtpFault> {
    const fault = this.#fault(moment)
    if (fault === 'drop') this.#client.destroy()
    else if (fault === 'drip') await this.#drip()
    else if (typeof fault === 'object') this.#client.write(fault.answer)
    return fault
  }

  async #readReply(): Promise<string> {
    let reply = ''
    for (let line = await this.#replies.next(); !line.done; line = await this.#replies.next()) {
      reply += `${line.value}\r\n`
      if (!/^\d{3}-/.test(line.value)) break
    }
    return reply
  }

  async #drip(): Promise<void> {
    const timer = setInterval(() => this.#client.write('2'), 20)
    await once(this.#client, 'close').finally(() => clearInterval(timer))
  }
}

const linesOf = (socket: Socket): AsyncIterator<string> =>
  createInterface({ input: socket, crlfDelay: Number.POSITIVE_INFINITY })[Symbol.asyncIterator]()
