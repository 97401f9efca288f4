import type { AnyContext } from '../../../kernel/context.ts'
import { timeOfId, uuidOfHex } from '../../../kernel/ids.ts'
import { createTokenBox } from '../../../kernel/token-box.ts'

/** A receiver for trying out, as its address names it. */
export interface TryOut {
  workspaceId: string
  /** Made when the receiver was: the time is in it. */
  id: string
}

const livesMs = 3_600_000

/** Nobody can make one up, so that what is none costs no statement. */
export const tokenOf = (ctx: AnyContext, { workspaceId, id }: TryOut): string =>
  boxOf(ctx).make(Buffer.from(`${workspaceId}${id}`.replaceAll('-', ''), 'hex'))

export function readToken(ctx: AnyContext, token: string): TryOut | undefined {
  const content = boxOf(ctx).read(token)?.toString('hex')
  if (content === undefined) return
  return { workspaceId: uuidOfHex(content.slice(0, 32)), id: uuidOfHex(content.slice(32)) }
}

const boxOf = ({ secrets }: AnyContext) => createTokenBox(secrets.derive('webhook try-out', 64))

const path = '/app/try/'

export const addressOf = ({ config }: AnyContext, token: string) =>
  `${config.baseUrl}${path}${token}`

/**
 * Of an address that is one of ours; undefined for every other. Its token tells, whatever stands before
 * it: a runner need not know by which address people reach the service.
 */
export function tryOutAt(ctx: AnyContext, url: string): TryOut | undefined {
  const at = url.lastIndexOf(path)
  return at === -1 ? undefined : readToken(ctx, url.slice(at + path.length))
}

/** How such an address ends. */
export const endingOf = (token: string) => `${path}${token}`

export const endOf = ({ id }: TryOut) => new Date(timeOfId(id).getTime() + livesMs)

/** Receivers whose id is smaller are over. */
export const oldestStart = (now: Date) => new Date(now.getTime() - livesMs)
