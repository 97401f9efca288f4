import type { ParsedMessage } from './message.ts'

export type ReportType = 'delivery-status' | 'feedback-report' | 'disposition-notification'

/**
 * What a mail that is itself a report (RFC 6522) reports. The same parts attached to any other mail are
 * what somebody passes on; but a gateway may have wrapped what a mail server reports, to write above it.
 */
export function reportType(message: ParsedMessage): ReportType | undefined {
  const is = (multipart: RegExp) =>
    message.header('content-type').some((type) => multipart.test(type))
  if (is(/^\s*multipart\/mixed\b/i) && isFromPostmaster(message)) {
    return message.reports.some(({ type }) => isStatus(type)) ? 'delivery-status' : undefined
  }
  if (!is(/^\s*multipart\/report\b/i)) return undefined
  for (const { type } of message.reports) {
    if (isStatus(type)) return 'delivery-status'
    if (type === 'message/feedback-report') return 'feedback-report'
    if (type === 'message/disposition-notification') return 'disposition-notification'
  }
  return undefined
}

/** RFC 3464, and RFC 6533 for addresses beyond ASCII. */
export const isStatus = (type: string) =>
  type === 'message/delivery-status' || type === 'message/global-delivery-status'

/** A mail server, or what delivers for it. */
export const isFromPostmaster = ({ from }: ParsedMessage): boolean =>
  /^(?:mailer[-_.]?daemon|postmaster|mail[-.]daemon|mail-?delivery(?:-?system)?|microsoftexchange[\da-f]{32})@/i.test(
    from?.address ?? '',
  )
