/** As much of a mail as is read. */
export const sourceBytesMax = 512 * 1024

export const filled = (text: string, bytes = sourceBytesMax) =>
  text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes)

const nesting = 'Content-Type: multipart/mixed; boundary=B\r\n\r\n--B\r\n'
const numbered = (count: number, text: (number: number) => string) =>
  Array.from({ length: count }, (_, number) => text(number)).join('')

/** Makes a mail of some more headers, '' for none, and the rest: an empty line and a body. */
type MakeMail = (headers: string, rest: string) => string

/** What is in each mail, and the mail. */
export function mailBombs(mail: MakeMail): [string, () => string][] {
  const typed = (type: string, rest: string, more = '') =>
    mail(`Content-Type: ${type}${more}`, rest)
  const multipart = (kind: string, rest: string) => typed(`multipart/${kind}; boundary=B`, rest)
  const report = (fields: string) =>
    multipart('report', `--B\r\nContent-Type: message/delivery-status\r\n\r\n${fields}`)
  const encoded = (encoding: string) => `\r\nContent-Transfer-Encoding: ${encoding}`
  return [
    ['100,000 parts', () => multipart('mixed', filled('--B\r\n'))],
    ['50,000 alternatives', () => multipart('alternative', filled('--B\r\n\r\nx\r\n'))],
    [
      'parts of HTML',
      () => multipart('mixed', filled('--B\r\nContent-Type: text/html\r\n\r\nx\r\n')),
    ],
    ['parts in parts', () => typed('multipart/mixed; boundary=B', filled(nesting))],
    [
      'mails in mails',
      () => typed('message/rfc822', filled('Content-Type: message/rfc822\r\n\r\n')),
    ],
    ['100,000 headers', () => mail(filled('a: b\r\n').trimEnd(), 'x')],
    ['a header of 100,000 lines', () => mail(`X: a\r\n${filled(' a\r\n').trimEnd()}`, 'x')],
    ['a header of addresses', () => mail(`Cc: ${filled('a@b.cc, ')}`, 'x')],
    ['a header of groups', () => mail(`Cc: ${filled('a:b@c.d;')}`, 'x')],
    ['encoded words', () => mail(`Subject: ${filled('=?utf-8?B?YWJj?= ', 400_000)}`, 'x')],
    ['one encoded word', () => mail(`Subject: =?utf-8?Q?${filled('=41', 400_000)}?=`, 'x')],
    ['encoded words without an end', () => mail(`Subject: ${filled('=?utf-8?Q?')}`, 'x')],
    ['parameters', () => typed('multipart/mixed', 'x', `; ${filled('a*0=b;', 400_000)}`)],
    ['comments', () => typed('multipart/mixed', 'x', `; ${filled('(', 400_000)}`)],
    ['references', () => mail(`References: ${filled('<a@b> ', 400_000)}`, 'x')],
    ['empty lines', () => typed('text/plain', filled('\n'))],
    ['short lines', () => typed('text/plain', filled('a\n'))],
    ['blanks', () => typed('text/plain', filled(' \n'))],
    ['flowed lines', () => typed('text/plain; format=flowed', filled('a \n'))],
    ['quoted lines', () => typed('text/plain', filled('> x\n'))],
    ['lines above quotes', () => typed('text/plain', filled('On Fri, Anna wrote x\n'))],
    ['headers of quotes', () => typed('text/plain', filled('From: x\n'))],
    [
      'octets that are quoted',
      () => typed('text/plain', filled('=41'), encoded('quoted-printable')),
    ],
    ['soft line ends', () => typed('text/plain', filled('=\r\n'), encoded('quoted-printable'))],
    ['short lines of base64', () => typed('text/plain', filled('Q\r\n'), encoded('base64'))],
    ['tags', () => typed('text/html', filled('<b>x</b>'))],
    ['tags without an end', () => typed('text/html', filled('<p>'))],
    ['tags in tags', () => typed('text/html', filled('<b>'.repeat(400) + '</b>'.repeat(400)))],
    ['links', () => typed('text/html', filled('<a href=x:>'))],
    ['attributes', () => typed('text/html', `<a ${numbered(60_000, (n) => `a${n}=1 `)}>`)],
    ['angle brackets', () => typed('text/html', filled('<'))],
    ['entities', () => typed('text/html', filled('&amp;'))],
    ['blocks of a report', () => report(filled('Action: failed\n\n'))],
    ['lines of a report', () => report(`Action: failed\r\n\r\n${filled('\n')}`)],
    ['folds of a report', () => report(`Action: failed${filled('\n ')}`)],
    ['wishes', () => typed('text/plain', filled('please remove '))],
    ['days', () => mail('Auto-Submitted: auto-replied', filled('until 1.1. to 2.2. '))],
  ]
}
