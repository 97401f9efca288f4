import type { MailboxInput } from './schema.ts'

/** What these take by SMTP they file as sent by themselves; Gmail's relay for companies does not. */
const fileSent =
  /^(smtp\.(gmail|googlemail)\.com|smtp\.office365\.com|smtp-mail\.outlook\.com|(.+\.)?outlook\.office365\.com|smtp\.live\.com)\.?$/i

export const providerSavesSent = (smtpHost: string): boolean => fileSent.test(smtpHost)

const settings: Record<MailboxInput['save_sent'], boolean | null> = {
  auto: null,
  on: true,
  off: false,
}

/** As it is stored: null is `auto`. */
export const storedSaveSent = (setting: MailboxInput['save_sent']): boolean | null =>
  settings[setting]

export const shownSaveSent = (stored: boolean | null): MailboxInput['save_sent'] =>
  stored === null ? 'auto' : stored ? 'on' : 'off'
