import type { InboundMessage } from './message.ts'

/** A report of success (RFC 3464), or that somebody opened a mail (RFC 8098). */
export const isNotice = ({ reports }: InboundMessage): boolean =>
  reports.some(
    ({ type, content }) =>
      type === 'message/disposition-notification' ||
      (type.endsWith('delivery-status') && saysArrived.test(content)),
  )

const saysArrived = /^action:[ \t]{0,20}(?:delivered|relayed|expanded)/im
