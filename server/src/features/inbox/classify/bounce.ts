import { parseEmail } from '../../../kernel/email.ts'
import { reasonOfRefusal } from '../../../kernel/mail/index.ts'
import { beginningOf } from '../../../kernel/text.ts'
import { idsIn, type ParsedMessage } from './message.ts'
import { isFromPostmaster, isStatus } from './report-type.ts'

/** What a mail server says of a mail that it could not deliver, or not yet. */
export interface Bounce {
  /** Only `hard` says that the address will never work; a `soft` one suppresses nobody. */
  kind: 'hard' | 'soft'
  /** Enhanced status code (RFC 3463); of an older server one made from its reply code. */
  code: string
  diagnostic: string
  /** Folded; null when the report does not name it. */
  recipient: string | null
  /** The server still tries: it may arrive. */
  isDelay: boolean
}

export interface BounceReport {
  bounces: Bounce[]
  /** Message-IDs of the mail that it is about. */
  about: string[]
}

/** Of a report of a delivery (RFC 3464), by its blocks, one for each recipient. */
export function readBounce(message: ParsedMessage): BounceReport | undefined {
  const bounces = message.reports
    .filter(({ type }) => isStatus(type))
    .flatMap(({ content }) => blocksOf(content).flatMap(bounceOf))
  return bounces.length === 0 ? undefined : { bounces, about: originalIds(message) }
}

/**
 * The texts of servers that write no such report (qmail, Exim without MIME, older Exchange). Only of
 * mail from a postmaster: automatic replies of people have an empty return path as well (RFC 3834).
 */
export function readBounceText(message: ParsedMessage): BounceReport | undefined {
  if (!isFromPostmaster(message)) return undefined
  const told = fromText(message)
  return told && { bounces: told, about: originalIds(message) }
}

/** The first block is about the message; each of the others about one recipient. */
const blocksOf = (content: string): Map<string, string>[] =>
  content
    .replace(/\r\n?/g, '\n')
    .split(/\n[ \t]*\n/)
    .map(fieldsOf)

function fieldsOf(block: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of block.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0)
      fields.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return fields
}

function bounceOf(fields: Map<string, string>): Bounce[] {
  const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0]
  // Some servers leave it out, against RFC 3464.
  const told = fields.get('action') ?? (status?.startsWith('5') ? 'failed' : '')
  const action = told.toLowerCase().split(/[\s(;]/)[0]
  if (action !== 'failed' && action !== 'delayed') return []
  const diagnostic = beginningOf(valueIn(fields.get('diagnostic-code') ?? ''), diagnosticMax)
  const code = specificCode(status, diagnostic)
  const named = valueIn(fields.get('final-recipient') ?? fields.get('original-recipient') ?? '')
  return [
    {
      kind: action === 'failed' && isGone(code, diagnostic) ? 'hard' : 'soft',
      code,
      diagnostic,
      recipient: foldedIn(named),
      isDelay: action === 'delayed',
    },
  ]
}

const diagnosticMax = 1000

/** Behind the type: `rfc822; ada@example.com`, `smtp; 550 No such user`. */
const valueIn = (field: string) => field.replace(/^[\w-]{1,40}[ \t]*;/, '').trim()

/** What the remote server said is worth more than a status that says no more than "failed". */
function specificCode(status: string | undefined, diagnostic: string): string {
  const told = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(diagnostic)?.[0]
  if (status && !/^[45]\.0\.0$/.test(status)) return status
  return told ?? codeOfReply(diagnostic) ?? status ?? '5.0.0'
}

const codeOfReply = (text: string): string | undefined => {
  const reply = /\b([45])([0-5])\d\b/.exec(text)
  return reply ? `${reply[1]}.0.0` : undefined
}

/** Whether nobody will ever get mail there: by the rule that answers at the door are judged by. */
const isGone = (code: string, diagnostic: string): boolean =>
  reasonOfRefusal({ code: null, enhanced: code, text: diagnostic }) === 'gone'

function foldedIn(text: string): string | null {
  const found = /[^\s<>(),:;"@]{1,64}@[^\s<>(),:;"@]{1,255}/.exec(text.slice(0, 2000))?.[0]
  return (found && parseEmail(found.replace(/\.{1,3}$/, ''))?.folded) ?? null
}

/** From the words of the report, of which the first that tells an address and a reason counts. */
function fromText(message: ParsedMessage): Bounce[] | undefined {
  const report = reportIn(message.text)
  const named = message.header('x-failed-recipients').flatMap((value) => value.split(','))
  const recipients = [...named, ...recipientsIn(report)].flatMap((text) => foldedIn(text) ?? [])
  const isReport =
    recipients.length > 0 && (named.length > 0 || saysUndelivered.test(message.subject + report))
  if (!isReport) return undefined
  const isDelay = saysDelayed.test(message.subject) || saysDelayed.test(report.slice(0, 500))
  const diagnostic = diagnosticIn(report)
  const code = specificCode(undefined, diagnostic)
  const kind = !isDelay && isGone(code, diagnostic) ? 'hard' : 'soft'
  return [...new Set(recipients)].map((recipient) => ({
    ...{ kind, code, diagnostic, recipient },
    isDelay,
  }))
}

/** What follows is the mail that came back. */
const reportIn = (text: string) =>
  text
    .slice(0, 20_000)
    .split(
      /^(?:-{2,80}.{0,10}(?:below this line|this is a copy|original message|message header).*|.*(?:copy of the message|original message follows|headers? of the original).*)$/im,
    )[0] ?? ''

/** qmail writes `<address>:`, Exim the address on a line of its own, older servers either. */
const recipientsIn = (report: string): string[] =>
  [
    ...report.matchAll(/^[ \t>]{0,20}<?([^\s<>(),;"@]{1,64}@[^\s<>(),:;"@]{1,255})>?:?[ \t]*$/gm),
  ].map(([, address]) => address ?? '')

const saysUndelivered =
  /undeliver|not (?:be|been|yet been) delivered|unable to deliver|wasn't able to deliver|delivery (?:has )?(?:failed|failure)|returned mail|failure notice|could not be delivered|returning message|unzustellbar|nicht zugestellt|non remis|no se (?:ha podido|pudo) entregar|mancata consegna|não entregue|niet bezorgd|niedostarczon|не (?:удалось )?доставлен|配信(?:不能|できません)|退信|无法投递/i

const saysDelayed =
  /\b(?:delayed|delay|still trying|will (?:be )?(?:retry|retried|try again)|not yet been delivered|warning: message)\b|verzögert/i

/** The line with a reply or status code, and what belongs to it. */
function diagnosticIn(report: string): string {
  const lines = report.split(/\r?\n/).map((line) => line.trim())
  const at = lines.findIndex((line) => /\b[45]\d\d[ -]|\b[45]\.\d{1,3}\.\d{1,3}\b/.test(line))
  const line = at >= 0 ? lines.slice(at, at + 2).join(' ') : lines.find((each) => hints.test(each))
  return beginningOf((line ?? '').trim(), diagnosticMax)
}

const hints = /no such|unknown|does(?: not|n't) exist|full|quota|refused|rejected|no mailbox/i

/** Of the mail that came back, from wherever the report keeps it. */
function originalIds(message: ParsedMessage): string[] {
  const headers = message.reports
    .filter(({ type }) => /rfc822|global/.test(type) && !isStatus(type))
    .map(({ content }) => content)
  const texts = [...headers, message.text.slice(0, 200_000)]
  const written = texts.flatMap((text) => {
    const unfolded = text.replace(/\r?\n[ \t]+/g, ' ')
    return [
      ...unfolded.matchAll(
        /^[ \t>]*(?:message-id|x-(?:microsoft-)?original-message-id)[ \t]*:(.*)$/gim,
      ),
    ].map(([, value]) => value ?? '')
  })
  const own = message.header('x-ms-exchange-message-originalid')
  return [
    ...new Set([...idsIn(written), ...idsIn(own), ...message.inReplyTo, ...message.references]),
  ]
}
