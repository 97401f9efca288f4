import { useEffect, useRef, useState } from 'react'
import { isHostless, withoutHandlers, withoutHostless } from '../lib/html.ts'
import classes from './MailFrame.module.css'

/**
 * A mail of the team's own, in a document that runs nothing: it has a policy of its own, which allows
 * the styles and images of mails, and no script.
 */
export function MailFrame({ title, html }: { title: string; html: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isLoaded, setLoaded] = useState(false)
  const [height, setHeight] = useState(240)
  useEffect(() => {
    const document = frame.current?.contentDocument
    if (!isLoaded || !document) return
    // Of the frame: by the policy of the page around it the mail's own styles would be refused.
    const inert = document.implementation.createHTMLDocument('')
    document.body.replaceChildren(...sanitized(inert, html))
    // What is scrolled is never less than the frame, which would not become smaller again.
    const root = document.documentElement
    const measure = () => setHeight(Math.max(120, Math.ceil(root.getBoundingClientRect().height)))
    measure()
    document.addEventListener('load', measure, true)
    return () => document.removeEventListener('load', measure, true)
  }, [isLoaded, html])
  return (
    <iframe
      ref={frame}
      title={title}
      src="/mail-frame"
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      className={classes.frame}
      height={height}
      onLoad={() => setLoaded(true)}
    />
  )
}

/**
 * The policy stops what runs; without it the console stays silent as well. What has no host of its own
 * is nowhere in a mail, and would be asked of our server here.
 */
function sanitized(inert: Document, html: string): Node[] {
  inert.documentElement.innerHTML = withoutHandlers(html)
  const { head, body } = inert
  for (const element of [...head.querySelectorAll('*'), ...body.querySelectorAll('*')]) {
    if (/^(script|iframe|object|embed|meta|base|link|form)$/i.test(element.tagName))
      element.remove()
    for (const { name, value } of [...element.attributes]) {
      const runs = /^on/i.test(name) || /^\s*(javascript|vbscript):/i.test(value)
      if (runs || isHostless(element.tagName, name, value)) element.removeAttribute(name)
      else if (name === 'style') element.setAttribute(name, withoutHostless(value))
    }
    if (element.tagName === 'STYLE') element.textContent = withoutHostless(element.textContent)
    if (element.tagName === 'A') element.setAttribute('target', '_blank')
  }
  return [...head.querySelectorAll('style'), ...body.childNodes]
}
