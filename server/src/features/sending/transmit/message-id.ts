import { domainToASCII } from 'node:url'
import { sha256 } from '../../../kernel/crypto.ts'
import { domainOfAddress } from '../../../kernel/email.ts'
import type { SendKey } from '../ledger.ts'

/**
 * The Message-ID of every attempt at a lead's step, also when the ledger has forgotten it: who would get
 * a mail twice after a restore has a chance to see that it is one, and so have we in its Sent folder.
 */
export function messageIdOf({ workspace_id, lead_id, step_id }: SendKey, address: string): string {
  const hash = sha256(`${workspace_id} ${lead_id} ${step_id}`).subarray(0, 20)
  return `<${hash.toString('hex')}@${domainToASCII(domainOfAddress(address))}>`
}
