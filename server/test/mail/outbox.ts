import { MailStore, type SubmittedMail } from '../../src/demo/mail-server/index.ts'

export interface Outbox {
  /** Of a mail server: what is put there has come in. */
  store: MailStore
  /** What the mail server took, in that order. */
  mails: SubmittedMail[]
  /** Resolves with them once there are so many. */
  waitFor: (count: number) => Promise<SubmittedMail[]>
}

export function createOutbox(): Outbox {
  const mails: SubmittedMail[] = []
  const waiting = new Set<() => void>()
  const store = new MailStore({
    now: () => new Date(),
    onOutside: (mail) => {
      mails.push(mail)
      for (const look of waiting) look()
    },
  })
  return {
    store,
    mails,
    waitFor: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (mails.length < count) return
          waiting.delete(look)
          resolve(mails)
        }
        waiting.add(look)
        look()
      }),
  }
}
