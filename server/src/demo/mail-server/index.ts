export { Folder, type KeptMail } from './folder.ts'
export { type ImapServerOptions, startImapServer } from './imap-server.ts'
export { type ListeningServer, startSmtpServer } from './smtp-server.ts'
export { type Account, type AccountOptions, MailStore, type SubmittedMail } from './store.ts'
