import type { ConsentProvider } from '../../../config.ts'
import type { Context } from '../../../kernel/context.ts'

/** What a provider hands back unread: it comes back to whoever began, in their workspace, for a while. */
export interface ConsentState {
  provider: ConsentProvider
  /** To be reconnected; undefined: a mailbox to be added. */
  mailboxId: string | undefined
  /** Of PKCE (RFC 7636). */
  verifier: string
}

/** Who may hand it in. */
export interface StateOwner {
  workspaceId: string
  userId: string
}

const validMs = 10 * 60_000
const purposeOf = ({ workspaceId, userId }: StateOwner) => `consent:${workspaceId}:${userId}`

/** The workspace stands in front, for the page that the person comes back to. */
export function sealState(ctx: Context, owner: StateOwner, state: ConsentState): string {
  const until = ctx.now().getTime() + validMs
  const sealed = ctx.secrets.seal(JSON.stringify({ ...state, until }), purposeOf(owner))
  return `${owner.workspaceId}.${sealed.toString('base64url')}`
}

/** @returns undefined when it is of somebody else, too old, or no state at all */
export function openState(ctx: Context, owner: StateOwner, text: string): ConsentState | undefined {
  const sealed = Buffer.from(text.slice(text.indexOf('.') + 1), 'base64url')
  try {
    const { until, ...state } = JSON.parse(ctx.secrets.open(sealed, purposeOf(owner)))
    return until > ctx.now().getTime() ? state : undefined
  } catch {
    return undefined
  }
}
