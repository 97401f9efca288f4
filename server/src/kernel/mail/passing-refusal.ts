import type { MailFailure } from './failure.ts'

/**
 * Whether a login, or the connection for it, was refused for something that passes: the server has
 * trouble, or the user too many connections open. It says nothing of the user name or the password.
 */
export const isPassingRefusal = ({ stage, kind, code, response }: MailFailure): boolean =>
  (stage === 'connect' || stage === 'login') &&
  kind === 'refused' &&
  ((code !== null && code < 500) || saysLater.test(response ?? ''))

/** RFC 5530, and what providers say, some of them under the code of a wrong password. */
const saysLater =
  /\[(?:INUSE|SERVERBUG|OVERQUOTA)\]|unavailable|too many|maximum|\blimits?\b|exceed|throttl|not connected|temporar|(?:server|system|internal) error|again (?:later|in\b)/i
