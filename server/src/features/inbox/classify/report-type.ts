import type { ParsedMessage } from './message.ts'

export type ReportType = 'delivery-status' | 'feedback-report' | 'disposition-notification'

/**
 * What a mail that is itself a report (RFC 6522) reports. The same parts attached to any other mail are
 * what somebody passes on.
 */
export function reportType({ header, reports }: ParsedMessage): ReportType | undefined {
  const isReport = header('content-type').some((type) => /^\s*multipart\/report\b/i.test(type))
  if (!isReport) return undefined
  for (const { type } of reports) {
    if (isStatus(type)) return 'delivery-status'
    if (type === 'message/feedback-report') return 'feedback-report'
    if (type === 'message/disposition-notification') return 'disposition-notification'
  }
  return undefined
}

/** RFC 3464, and RFC 6533 for addresses beyond ASCII. */
export const isStatus = (type: string) =>
  type === 'message/delivery-status' || type === 'message/global-delivery-status'
