import { sha256 } from '../../kernel/crypto.ts'

/** What decides which options of the spintax a lead gets. */
export interface Drawn {
  leadId: string
  stepId: string
  variantId: string
}

type Pick = (n: number) => number

/** Draws for subject and body, the same ones whenever the mail is made; apart, so that a change of one leaves the other. */
export function createPicks({ leadId, stepId, variantId }: Drawn): { subject: Pick; body: Pick } {
  const seed = sha256(leadId + stepId + variantId)
  return { subject: pickFrom(seed, 0), body: pickFrom(seed, 16) }
}

/** The generator sfc32, of 128 bits of the seed. */
function pickFrom(seed: Buffer, at: number): Pick {
  let a = seed.readInt32LE(at)
  let b = seed.readInt32LE(at + 4)
  let c = seed.readInt32LE(at + 8)
  let d = seed.readInt32LE(at + 12)
  return (n) => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    return Math.floor(((sum >>> 0) / 2 ** 32) * n)
  }
}
