import type { ParsedMessage } from '../classify/message.ts'

/** What a file that was attached is called where it is kept. */
export function fileNameOf({ name, type }: Omit<ParsedMessage['attachments'][number], 'bytes'>) {
  // Neither a way to another folder nor characters that turn the order of others round.
  const safe = (name ?? '').replace(/[\p{C}/\\:*?"<>|]+/gu, ' ').trim()
  if (safe !== '') return safe
  return `attachment.${extensions[type] ?? /\/(?:x-)?([a-z0-9]+)/.exec(type)?.[1] ?? 'bin'}`
}

const extensions: Record<string, string> = {
  'message/rfc822': 'eml',
  'message/delivery-status': 'txt',
  'text/plain': 'txt',
  'text/calendar': 'ics',
  'application/octet-stream': 'bin',
}

/** RFC 6266: a browser saves it by this name and never shows it. */
export function downloadAs(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]|%/g, '_')
  const encoded = encodeURIComponent(fileName).replace(
    /['()*!]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
