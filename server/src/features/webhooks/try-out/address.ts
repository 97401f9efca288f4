import { createHmac, timingSafeEqual } from 'node:crypto'
import type { AnyContext } from '../../../kernel/context.ts'
import { timeOfId, uuidOfHex } from '../../../kernel/ids.ts'

/** A receiver for trying out, as its address names it. */
export interface TryOut {
  workspaceId: string
  /** Made when the receiver was: the time is in it. */
  id: string
}

const livesMs = 3_600_000
const macOctets = 16

/** Nobody can make one up, so that what is none costs no statement. */
export function tokenOf(ctx: AnyContext, tryOut: TryOut): string {
  const content = contentOf(tryOut)
  const [key] = keysOf(ctx)
  if (!key) throw new Error('A token needs a key.')
  return Buffer.concat([content, macOf(key, content)]).toString('base64url')
}

export function readToken(ctx: AnyContext, token: string): TryOut | undefined {
  const octets = Buffer.from(token, 'base64url')
  if (octets.length !== 32 + macOctets || octets.toString('base64url') !== token) return undefined
  const [content, mac] = [octets.subarray(0, 32), octets.subarray(32)]
  if (!keysOf(ctx).some((key) => timingSafeEqual(macOf(key, content), mac))) return undefined
  return { workspaceId: uuidOf(content.subarray(0, 16)), id: uuidOf(content.subarray(16)) }
}

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

const keysOf = ({ secrets }: AnyContext) => secrets.derive('webhook try-out', 32)

const contentOf = ({ workspaceId, id }: TryOut) =>
  Buffer.from(`${workspaceId}${id}`.replaceAll('-', ''), 'hex')

const macOf = (key: Buffer, content: Buffer) =>
  createHmac('sha256', key).update(content).digest().subarray(0, macOctets)

const uuidOf = (octets: Buffer) => uuidOfHex(octets.toString('hex'))
