import { type AddressPolicy, createConnector, type LookupFn } from '../outbound/index.ts'
import { connectSmtp } from './connect-smtp.ts'
import type { MailNetwork } from './mail.ts'
import { type MailTimeouts, usualTimeouts } from './timeouts.ts'

export interface MailNetworkOptions {
  policy: AddressPolicy
  lookup: LookupFn
  timeouts?: Partial<MailTimeouts>
  monotonicMs?: () => number
}

/** The one way to mail servers: only to addresses that the policy allows. */
export function createMailNetwork(options: MailNetworkOptions): MailNetwork {
  const { policy, lookup, monotonicMs = () => performance.now() } = options
  const timeouts = { ...usualTimeouts, ...options.timeouts }
  const connect = createConnector(policy, lookup)
  return {
    connectSmtp: (server) => connectSmtp(connect, server, { timeouts, monotonicMs }),
    async connectImap(server) {
      // imapflow takes 80 ms and 12 MB to load: whoever reads no mail does without.
      const { connectImap } = await import('./connect-imap.ts')
      return connectImap({ policy, lookup }, server, timeouts)
    },
  }
}
