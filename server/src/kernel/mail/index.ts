export { MailFailure } from './failure.ts'
export { tooManyMailsDetail } from './imap-connection.ts'
export type {
  Envelope,
  FetchedMail,
  FetchOptions,
  ImapConnection,
  MailFolder,
  MailNetwork,
  MailServer,
  SmtpConnection,
} from './mail.ts'
export { createMailNetwork } from './network.ts'
export {
  type AccessToken,
  type OAuth2Grant,
  type RedeemedCode,
  redeemCode,
  requestAccessToken,
  tokenDetail,
  tokenTimeoutMs,
} from './oauth2.ts'
export { isPassingRefusal } from './passing-refusal.ts'
export { type RefusalReason, reasonOfRefusal } from './refusal-reason.ts'
