export { MailFailure, type MailFailureKind, type MailStage } from './failure.ts'
export type {
  Envelope,
  FetchedMail,
  ImapConnection,
  MailFolder,
  MailNetwork,
  MailServer,
  SmtpConnection,
  SpecialUse,
} from './mail.ts'
export { createMailNetwork } from './network.ts'
