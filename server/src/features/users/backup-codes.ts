import { randomBytes } from 'node:crypto'

/** Crockford's base32: no two that look alike. */
const characters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export const createBackupCodes = () => Array.from({ length: 10 }, createCode)

const createCode = () =>
  [...randomBytes(10)]
    .map((octet) => characters[octet % characters.length])
    .join('')
    .replace(/^.{5}/, '$&-')

/** What is read off a sheet of paper: large or small, with whatever stands between, a letter for its digit. */
const fold = (code: string) =>
  code
    .replaceAll(/[\s\p{Pd}]/gu, '')
    .toUpperCase()
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')

/** @returns the one of the codes that was typed, or what was typed */
export const backupCodeOf = (codes: string[], typed: string) =>
  codes.find((code) => fold(code) === fold(typed)) ?? typed
