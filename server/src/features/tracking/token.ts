import { uuidOfHex } from '../../kernel/ids.ts'
import { createTokenBox } from '../../kernel/token-box.ts'

const kinds = ['unsubscribe', 'open', 'click'] as const
export type TokenKind = (typeof kinds)[number]

export interface Token {
  kind: TokenKind
  workspaceId: string
  leadId: string
  stepId: string
  /** The address of `unsubscribe`, folded; the URL of `click`. */
  text: string
}

export type TokenBox = ReturnType<typeof createLinkTokenBox>

/**
 * Makes the tokens of links, and reads those that it made.
 *
 * @param keys of 64 octets; the first one makes, all of them read
 */
export function createLinkTokenBox(keys: Buffer[]) {
  const box = createTokenBox(keys)
  return {
    make: (token: Token) => box.make(toOctets(token)),
    read(text: string): Token | undefined {
      const octets = box.read(text)
      return octets && fromOctets(octets)
    },
  }
}

const idOctets = 16
const headOctets = 1 + 3 * idOctets

function toOctets({ kind, workspaceId, leadId, stepId, text }: Token): Buffer {
  const ids = (workspaceId + leadId + stepId).replaceAll('-', '')
  const octets = Buffer.allocUnsafe(headOctets + Buffer.byteLength(text))
  octets[0] = kinds.indexOf(kind)
  if (octets.write(ids, 1, 'hex') !== 3 * idOctets) throw new Error('A token holds UUIDs.')
  octets.write(text, headOctets)
  return octets
}

function fromOctets(octets: Buffer): Token | undefined {
  const kind = kinds[octets[0] ?? -1]
  if (!kind) return
  const [workspaceId = '', leadId = '', stepId = ''] = [0, 1, 2].map((index) =>
    uuidOfHex(octets.toString('hex', 1 + index * idOctets, 1 + (index + 1) * idOctets)),
  )
  return { kind, workspaceId, leadId, stepId, text: octets.toString('utf8', headOctets) }
}
