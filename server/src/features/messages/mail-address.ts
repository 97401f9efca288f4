import { parseEmail } from '../../kernel/email.ts'
import { MailRefused } from './mail-refused.ts'

/** An address as it stands in a header and in an envelope: its domain in ASCII form. */
export interface MailAddress {
  address: string
  folded: string
  /** Its local part is not ASCII: servers take it with SMTPUTF8 only. */
  needsUtf8: boolean
}

export function mailAddress(text: string): MailAddress {
  const parsed = parseEmail(text)
  if (!parsed) throw new MailRefused('bad_address', 'An address of this mail is not valid.')
  const { email, folded, domain } = parsed
  const local = email.slice(0, email.lastIndexOf('@'))
  return { address: `${local}@${domain}`, folded, needsUtf8: !/^[\x21-\x7e]*$/.test(local) }
}
