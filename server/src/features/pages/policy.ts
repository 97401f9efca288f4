/**
 * What a page may load and do (CSP 3): nothing from elsewhere, and no script but its files. Mantine's
 * variables and the scroll lock of dialogs write <style> elements, hence the nonce.
 *
 * @param nonce of this response alone
 */
export const policy = (nonce: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

/**
 * Of the empty document that a mail of the team's own is put into to be looked at: the styles and
 * images of mails, and nothing that runs, asks or leads anywhere.
 */
export const framePolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src https: http: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
].join('; ')
