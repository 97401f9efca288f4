import { MailStore, type SubmittedMail } from '../../src/demo/mail-server/index.ts'
import { createSignal } from '../signal.ts'

export interface Outbox {
  /** Of a mail server: what is put there has come in. */
  store: MailStore
  /** What the mail server took, in that order. */
  mails: SubmittedMail[]
  /** Resolves with them once there are so many. */
  waitFor: (count: number) => Promise<SubmittedMail[]>
}

export function createOutbox(now = () => new Date()): Outbox {
  const mails: SubmittedMail[] = []
  const arrival = createSignal()
  const store = new MailStore({
    now,
    onOutside: (mail) => {
      mails.push(mail)
      arrival.raise()
    },
  })
  return {
    store,
    mails,
    waitFor: (count) => arrival.until(() => mails.length >= count && mails),
  }
}
