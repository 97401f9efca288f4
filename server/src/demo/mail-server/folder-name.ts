/** Names of folders in modified UTF-7 (RFC 3501 §5.1.3), as IMAP writes them. */
export const encodeName = (name: string): string =>
  name.replaceAll(/&|[^\x20-\x7e]+/g, (text) => (text === '&' ? '&-' : `&${toBase64(text)}-`))

export const decodeName = (encoded: string): string =>
  encoded.replaceAll(/&([^-]*)-/g, (_all, base64: string) => {
    if (base64 === '') return '&'
    return Buffer.from(base64.replaceAll(',', '/'), 'base64').swap16().toString('utf16le')
  })

const toBase64 = (text: string) =>
  Buffer.from(text, 'utf16le').swap16().toString('base64').replace(/=+$/, '').replaceAll('/', ',')
