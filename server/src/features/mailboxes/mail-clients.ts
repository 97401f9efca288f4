import type { Config, ConsentProvider, MailClient } from '../../config.ts'
import type { OAuth2Grant } from '../../kernel/mail/index.ts'

type Grant = Pick<OAuth2Grant, 'client_id' | 'token_url'>

/** The client of this installation that a consent was given to. */
export const findClient = (config: Config, grant: Grant): MailClient | undefined =>
  entryOf(config, grant)?.[1]

/** Who can give that consent anew, in the application. */
export const consentProviderOf = (config: Config, grant: Grant): ConsentProvider | null =>
  entryOf(config, grant)?.[0] ?? null

/** By both: its secret goes to no address but its own. */
const entryOf = ({ mailClients }: Config, { client_id, token_url }: Grant) =>
  (Object.entries(mailClients) as [ConsentProvider, MailClient][]).find(
    ([, { clientId, tokenUrl }]) => clientId === client_id && tokenUrl === token_url,
  )
