import type { ErrorDetail } from '../../../kernel/errors.ts'
import { linkAddressRemedy } from '../../link-address/index.ts'
import { variantsOfSequences } from '../sequence/sequence.ts'
import type { CampaignSequence } from '../sequence/sequence-schema.ts'
import { placesUnsubscribeUrl } from '../templates/template.ts'

export interface LinkedSettings {
  open_tracking: boolean
  link_tracking: boolean
  sequences: CampaignSequence[]
}

/** What of a campaign asks for links, where the mails of its mailboxes cannot carry any. */
export function linkProblems({ open_tracking, link_tracking, sequences }: LinkedSettings) {
  const problem = (path: string, what: string): ErrorDetail => ({
    path,
    message: `${what} needs a public https address for the links of mails. ${linkAddressRemedy}`,
  })
  return [
    ...(open_tracking ? [problem('/open_tracking', 'open_tracking')] : []),
    ...(link_tracking ? [problem('/link_tracking', 'link_tracking')] : []),
    ...variantsOfSequences(sequences)
      .filter(({ variant }) => !variant.v_disabled && placesUnsubscribeUrl(variant))
      .map(({ path }) => problem(`${path}/body`, '{{unsubscribe_url}}')),
  ]
}
