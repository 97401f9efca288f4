import type { UseFormReturnType } from '@mantine/form'
import { useEffect } from 'react'
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

/**
 * A server that is left as it was follows what somebody else changes, also while a password is typed: it
 * is sent with that, and must not put the change back.
 */
export function useTheirServers(form: LoginForm, { smtp, imap }: LoginValues) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what somebody else has changed
  useEffect(() => {
    const left = {
      ...(form.isDirty('smtp') ? {} : { smtp }),
      ...(form.isDirty('imap') ? {} : { imap }),
    }
    form.setInitialValues({ ...form.getInitialValues(), ...left })
    form.setValues(left)
  }, [JSON.stringify([smtp, imap])])
}

/** Both servers with the one password that nearly every provider has for them. */
export const serversOf = ({ password, smtp, imap }: LoginValues) => ({
  smtp: { ...smtp, password },
  imap: { ...imap, password },
})
