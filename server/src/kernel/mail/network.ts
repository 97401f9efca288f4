import type { AddressPolicy, LookupFn } from '../outbound/index.ts'
import { MailFailure } from './failure.ts'
import type { MailNetwork } from './mail.ts'

export interface MailNetworkOptions {
  policy: AddressPolicy
  lookup: LookupFn
}

/** The one way to mail servers: only to addresses that the policy allows. */
export function createMailNetwork(_options: MailNetworkOptions): MailNetwork {
  return {
    connectSmtp: async () => {
      throw new MailFailure('connect', 'unreachable')
    },
    connectImap: async () => {
      throw new MailFailure('connect', 'unreachable')
    },
  }
}
