import { sha256 } from '../../kernel/crypto.ts'
import type { Words } from './words.ts'

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

export const askPage = (address: string, words: Words): Page => ({
  status: 200,
  html: page(
    words,
    words.unsubscribe,
    `<p>${about(words.ask, address)}</p>
<form method="post"><button name="List-Unsubscribe" value="One-Click">${words.unsubscribe}</button></form>`,
  ),
})

export const donePage = (address: string, words: Words): Page => ({
  status: 200,
  html: page(
    words,
    words.done,
    `<p role="status">${about(words.noMore, address)}
${words.close}</p>`,
  ),
})

export const badLinkPage = (words: Words): Page => ({
  status: 404,
  html: page(words, words.badLink, `<p>${words.cutOff}</p>`),
})

export const faultPage = (status: number, words: Words): Page => ({
  status,
  html: page(words, words.failed, `<p>${status >= 500 ? words.ourFault : words.unreadable}</p>`),
})

const about = (sentence: string, address: string) =>
  sentence.replace('%', () => `<strong>${escapeHtml(shade(address))}</strong>`)

/** Who was given the link by somebody else need not learn the whole address. */
const shade = (address: string) => address.replace(/^(.).*(?=@)/su, '$1…')

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${sha256(style).toString('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  vary: 'accept-language',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
}

function page({ language }: Words, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}">
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

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
