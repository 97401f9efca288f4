import { randomBytes } from 'node:crypto'
import { sha256 } from '../../kernel/crypto.ts'

/** 256 random bits for a link that works once; kept as its hash. */
export const createToken = () => randomBytes(32).toString('base64url')

export const hashToken = (token: string) => sha256(token)
