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
