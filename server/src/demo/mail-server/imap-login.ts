import type { Account, MailStore } from './store.ts'

/** Whose name and password, or name and token, these are. */
export function findLogin(
  store: MailStore,
  username: string,
  secret: { password: string } | { accessToken: string },
): Account | undefined {
  const account = store.find(username)
  if ('password' in secret) return account?.password === secret.password ? account : undefined
  const isRight = account?.accessToken !== undefined && account.accessToken === secret.accessToken
  return isRight ? account : undefined
}

/** The account behind the answer to AUTHENTICATE, in base64. */
export function findSasl(store: MailStore, mechanism: string, answer: string): Account | undefined {
  const token = Buffer.from(answer, 'base64').toString()
  if (mechanism === 'PLAIN') {
    const [, username = '', password = ''] = token.split('\0')
    return findLogin(store, username, { password })
  }
  const fields = new Map(token.split('\x01').map((field) => splitOnce(field)))
  const accessToken = fields.get('auth')?.replace(/^Bearer /, '') ?? ''
  return findLogin(store, fields.get('user') ?? '', { accessToken })
}

function splitOnce(field: string): [string, string] {
  const at = field.indexOf('=')
  return [field.slice(0, at), field.slice(at + 1)]
}
