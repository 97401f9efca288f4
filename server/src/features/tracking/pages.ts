import { sha256 } from '../../kernel/crypto.ts'

/** For the person at the other end: no script, nothing from elsewhere, light or dark as they have it. */
export interface Page {
  status: number
  html: string
}

const style = `
:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.125rem/1.5 system-ui,sans-serif}
main{max-width:32rem;padding:1.5rem;overflow-wrap:anywhere}
h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}
button{font:inherit;padding:.625rem 1.25rem;border:1px solid;border-radius:.5rem;cursor:pointer}
button:focus-visible{outline:3px solid Highlight;outline-offset:2px}
`

export const askPage = (address: string): Page => ({
  status: 200,
  html: page(
    'Unsubscribe',
    `<p>No more mail will be sent to <strong>${escapeHtml(shade(address))}</strong>.</p>
<form method="post"><button name="List-Unsubscribe" value="One-Click">Unsubscribe</button></form>`,
  ),
})

export const donePage = (address: string): Page => ({
  status: 200,
  html: page(
    'You are unsubscribed',
    `<p role="status">No more mail will be sent to <strong>${escapeHtml(shade(address))}</strong>.
You can close this page.</p>`,
  ),
})

export const badLinkPage = (): Page => ({
  status: 404,
  html: page(
    'This link does not work',
    '<p>It may have been cut off. Please open it again from the mail it came with.</p>',
  ),
})

export const faultPage = (status: number): Page => ({
  status,
  html: page(
    'That did not work',
    status >= 500
      ? '<p>The fault is ours, and nothing was changed. Please try again in a minute.</p>'
      : '<p>The request could not be read. Please open the link again from the mail.</p>',
  ),
})

/** Who was given the link by somebody else need not learn the whole address. */
const shade = (address: string) => address.replace(/^(.).*(?=@)/su, '$1…')

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256(style).toString('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
}

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`
}

const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
