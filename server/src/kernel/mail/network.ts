import { type AddressPolicy, createConnector, type LookupFn } from '../outbound/index.ts'
import { connectSmtp } from './connect-smtp.ts'
import { MailFailure } from './failure.ts'
import type { MailNetwork } from './mail.ts'
import { type MailTimeouts, usualTimeouts } from './timeouts.ts'

export interface MailNetworkOptions {
  policy: AddressPolicy
  lookup: LookupFn
  timeouts?: Partial<MailTimeouts>
}

/** The one way to mail servers: only to addresses that the policy allows. */
export function createMailNetwork({ policy, lookup, timeouts }: MailNetworkOptions): MailNetwork {
  const connect = createConnector(policy, lookup)
  const limits = { ...usualTimeouts, ...timeouts }
  return {
    connectSmtp: (server) => connectSmtp(connect, server, limits),
    connectImap: async () => {
      throw new MailFailure('connect', 'unreachable')
    },
  }
}
