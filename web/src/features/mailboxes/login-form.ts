import type { UseFormReturnType } from '@mantine/form'
import type { Mailbox, MailboxSuggestion } from '../../api/generated/types.gen.ts'

type Security = 'tls' | 'starttls' | 'none'

interface ServerValues {
  host: string
  port: number
  security: Security
  username: string
}

/** What a person fills in; the servers have the names by which the API knows them. */
export interface LoginValues {
  password: string
  smtp: ServerValues
  imap: ServerValues
}

export type LoginForm = UseFormReturnType<LoginValues>

type Known = Pick<MailboxSuggestion, 'address' | 'smtp' | 'imap'>

/** By what is known of the provider; else the usual ports. */
export const valuesOf = ({ address, smtp, imap }: Known): LoginValues => ({
  password: '',
  smtp: { ...(smtp ?? { host: '', port: 587, security: 'starttls' }), username: address },
  imap: { ...(imap ?? { host: '', port: 993, security: 'tls' }), username: address },
})

export const valuesOfMailbox = ({ smtp, imap }: Mailbox): LoginValues => ({
  password: '',
  smtp: serverOf(smtp),
  imap: serverOf(imap),
})

const serverOf = ({ host, port, security, username }: Mailbox['smtp']): ServerValues => ({
  ...{ host, port, security, username },
})

/** Both servers with the one password that nearly every provider has for them. */
export const serversOf = ({ password, smtp, imap }: LoginValues) => ({
  smtp: { ...smtp, password },
  imap: { ...imap, password },
})
