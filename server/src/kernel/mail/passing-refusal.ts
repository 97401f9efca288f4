import type { MailFailure } from './failure.ts'

/**
 * Whether a login, or the connection for it, was refused for something that passes: the server has
 * trouble, or the user too many connections open. It says nothing of the user name or the password.
 */
export const isPassingRefusal = (failure: MailFailure): boolean => {
  const { stage, kind, code, response } = failure
  if ((stage !== 'connect' && stage !== 'login') || kind !== 'refused') return false
  if (code !== null && code < 500) return true
  return !isWrongLogin(failure) && saysLater.test(response ?? '')
}

/** Of these codes the words say nothing more: Postfix explains a wrong password by `(reason unavailable)`. */
const isWrongLogin = ({ enhanced, response }: MailFailure) =>
  enhanced === '5.7.8' || /\[AUTHENTICATIONFAILED\]/i.test(response ?? '')

/** RFC 5530, and what providers say under a code that says nothing of the reason. */
const saysLater =
  /\[(?:INUSE|SERVERBUG|OVERQUOTA)\]|unavailable|too many|maximum|\blimits?\b|exceed|throttl|not connected|temporar|(?:server|system|internal) error|again (?:later|in\b)/i
