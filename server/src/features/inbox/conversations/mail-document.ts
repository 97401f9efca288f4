import sanitizeHtml, { type Attributes, type IOptions } from 'sanitize-html'
import type { StoredMessage } from '../../messages/index.ts'
import { absolute, htmlMax, sanitized } from '../classify/html.ts'

/** What a browser may do with a mail: show it. The sandbox makes it a page without script and form. */
export const mailPolicy = ({ showsImages }: { showsImages: boolean }) =>
  [
    'sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${showsImages ? ' https:' : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

/** Whether the mail asks for images from elsewhere, by which its sender would learn that it is read. */
export const hasRemoteImages = (html: string): boolean => remoteImage.test(html)

// One way to read each character: a mail that is made for it would else hold up the process.
const remoteImage = /<img\b[^<>]*\bsrc\s*=\s*(?:["']\s*)?(?:https?:)?\/\//i

/**
 * A mail as a page of its own. What could reach out or act is taken out first, so that the policy has
 * nothing to refuse; the policy holds where that is not enough.
 */
export function mailDocument(
  { html, text }: Pick<StoredMessage, 'html' | 'text'>,
  { showsImages }: { showsImages: boolean },
): string {
  const body =
    html === null
      ? `<div class="text">${textToHtml(text)}</div>`
      : sanitized(html.slice(0, htmlMax), optionsOf(showsImages))
  return `<!doctype html><html><head><meta charset="utf-8"><title>Mail</title><style>${look}</style></head><body>${body}</body></html>`
}

// Mails are written for white paper, whatever the scheme around them is. The page marks in them what
// was searched for, over both the ground and the colour that the mail has there. An image that is not
// loaded is its description, over the browser's sign for a broken one.
const look = `
  :root { color-scheme: light; background: #fff; color: #1a1d23; }
  body { margin: 0; font: 14px/1.5 'Inter Variable', system-ui, sans-serif; overflow-wrap: anywhere; }
  html { overflow-x: auto; overflow-y: hidden; }
  img { max-width: 100%; height: auto; }
  img:not([src]) { position: relative; box-sizing: border-box; max-height: 48px; overflow: hidden; border: 1px dashed #d5d9e0; }
  img:not([src])::before { content: attr(alt); position: absolute; inset: 0; background: #fff; color: #4a5260; }
  blockquote { margin: 8px 0 8px 2px; padding-left: 12px; border-left: 2px solid #d5d9e0; color: #4a5260; }
  a { color: #3f43b0; }
  p { margin: 0 0 8px; }
  ::highlight(found) { background-color: #fdf0d2; color: #845400; text-decoration: underline; }
  pre, .text { white-space: pre-wrap; font-family: inherit; margin: 0; }
`

const shape = ['align', 'valign', 'width', 'height', 'bgcolor', 'dir', 'style']

const optionsOf = (showsImages: boolean): IOptions => ({
  allowedTags: [...sanitizeHtml.defaults.allowedTags, 'img', 'font', 'center'],
  allowedAttributes: {
    '*': shape,
    a: ['href', 'title', 'rel', 'target'],
    img: ['src', 'alt', 'title'],
    table: ['border', 'cellpadding', 'cellspacing'],
    td: ['colspan', 'rowspan'],
    th: ['colspan', 'rowspan'],
    font: ['color', 'size', 'face'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'tel'],
  allowedSchemesByTag: { img: ['https', 'data'] },
  allowProtocolRelative: false,
  // It would look at each declaration; ours are looked at below, and the policy holds for the rest.
  parseStyleAttributes: false,
  transformTags: {
    a: (tagName, { href = '', title, style }) => ({
      tagName,
      attribs: {
        // What is relative would lead into the page that it is shown in.
        ...(absolute.test(href) ? { href } : {}),
        ...(title === undefined ? {} : { title }),
        ...(style === undefined ? {} : { style }),
        ...{ rel: 'noopener noreferrer nofollow', target: '_blank' },
      },
    }),
    img: (tagName, { src = '', ...attribs }) => ({
      tagName,
      attribs: { ...attribs, ...imageOf(src, showsImages) },
    }),
    // After the others.
    '*': (tagName, { style, ...attribs }) => ({
      tagName,
      attribs: { ...attribs, ...styled(style) } as Attributes,
    }),
  },
})

function imageOf(src: string, showsImages: boolean): { src?: string } {
  const address = src.trim()
  if (/^data:image\//i.test(address)) return { src: address }
  if (!showsImages) return {}
  const secure = address.replace(/^(?:http:)?\/\//i, 'https://')
  return /^https:/i.test(secure) ? { src: secure } : {}
}

/** Without what loads something, and without what would leave the flow of the mail. */
function styled(style: string | undefined): { style?: string } {
  const kept = (style ?? '').split(';').filter((declaration) => !reaching.test(declaration))
  return kept.join('').trim() === '' ? {} : { style: kept.join(';') }
}

const reaching =
  /\\|url\s*\(|image-set|image\s*\(|expression|behaviou?r|-moz-binding|position\s*:|@/i

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const textToHtml = (text: string) => text.replaceAll(/[&<>"]/g, (sign) => escapes[sign] ?? sign)
