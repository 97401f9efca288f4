import { domainOfAddress } from '../../../kernel/email.ts'
import type { MailFailure } from '../../../kernel/mail/index.ts'

/** So many domains of recipients, refused in the same words, and it is the mailbox that is refused. */
const domainsMax = 3

interface Row {
  words: string
  domains: Set<string>
}

/**
 * In which words each mailbox was refused last, and whose mails, since one was taken. A provider that takes no
 * more mails of an account may say so in words that nobody knows: what it says to everybody is about
 * none of the recipients, and must not use up the attempts of one lead after the other.
 */
export class RefusedInRow {
  readonly #rows = new Map<string, Row>()

  end(mailboxId: string) {
    this.#rows.delete(mailboxId)
  }

  /**
   * @returns whether others were refused in the same words, with no mail taken in between; they count for
   *   nothing after that
   */
  add(mailboxId: string, recipient: string, failure: MailFailure): boolean {
    const words = wordsOf(failure)
    const known = this.#rows.get(mailboxId)
    const row = known?.words === words ? known : { words, domains: new Set<string>() }
    this.#rows.set(mailboxId, row)
    row.domains.add(domainOfAddress(recipient))
    if (row.domains.size < domainsMax) return false
    this.end(mailboxId)
    return true
  }
}

/** Without addresses, names of hosts and ids, which are others in each answer. */
const wordsOf = ({ code, enhanced, response }: MailFailure) =>
  `${code} ${enhanced} ${(response ?? '').replaceAll(/\S*[\d@.]\S*/g, '')}`
