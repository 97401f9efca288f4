export { type ImapServerOptions, startImapServer } from './imap-server.ts'
export { startSmtpServer } from './smtp-server.ts'
export { type Account, MailStore, type SubmittedMail } from './store.ts'
