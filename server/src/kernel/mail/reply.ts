import { MailFailure, type MailStage, toPlainText } from './failure.ts'

/** One answer of an SMTP server. */
export interface Reply {
  code: number
  /** Without the codes; the lines of a long answer are kept apart by newlines. */
  text: string
}

/** RFC 5321 §4.5.3.1.5 says 512; some servers write more. */
const lineBytesMax = 4096
const replyCharactersMax = 65_536
/** Answers that wait to be read: a server that talks on and on gets no memory for it. */
const repliesMax = 256

const linePattern = /^([2-5]\d\d)(?:([ -])(.*))?$/

/** Bytes to replies (RFC 5321 §4.2). What is not SMTP is an error that ends the connection. */
export class ReplyParser {
  #rest: Buffer | undefined
  #begun: Reply | undefined
  readonly #replies: Reply[] = []

  /** @throws NotSmtp */
  push(chunk: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    const end = bytes.lastIndexOf('\n')
    this.#rest = end === bytes.length - 1 ? undefined : bytes.subarray(end + 1)
    if (this.#rest && this.#rest.length > lineBytesMax) throw new NotSmtp()
    if (end < 0) return
    for (const line of bytes.toString('utf8', 0, end).split('\n')) this.#take(line)
  }

  shift(): Reply | undefined {
    return this.#replies.shift()
  }

  /** Something came that no command has asked for. */
  get hasMore(): boolean {
    return this.#replies.length > 0 || this.#begun !== undefined || this.#rest !== undefined
  }

  #take(line: string): void {
    const match = linePattern.exec(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (!match) throw new NotSmtp()
    const code = Number(match[1])
    const text = match[3] ?? ''
    const begun = this.#begun
    if (begun && (begun.code !== code || begun.text.length + text.length > replyCharactersMax)) {
      throw new NotSmtp()
    }
    const reply = begun ? { code, text: `${begun.text}\n${text}` } : { code, text }
    this.#begun = match[2] === '-' ? reply : undefined
    if (!this.#begun && this.#replies.push(reply) > repliesMax) throw new NotSmtp()
  }
}

/** What came is not what an SMTP server says. */
class NotSmtp extends Error {}

/** A reply as a person quotes it: `550 5.1.1 No such user`. */
const quoteReply = ({ code, text }: Reply): string => toPlainText(`${code} ${text}`)

/** The failure that a reply stands for: a refusal, or words that make no sense at this point. */
export function refusal(
  stage: MailStage,
  reply: Reply,
  more: { recipient?: string; certain?: boolean } = {},
): MailFailure {
  const enhanced = /^([245]\.\d{1,3}\.\d{1,3})(?=\s|$)/.exec(reply.text)?.[1]
  return new MailFailure(stage, reply.code >= 400 ? 'refused' : 'protocol', {
    code: reply.code,
    enhanced: enhanced?.[0] === String(reply.code)[0] ? (enhanced ?? null) : null,
    response: quoteReply(reply),
    ...more,
  })
}
