import { useCallback, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useConnection } from '../../api/connection.ts'
import { unreachable } from '../../api/fault.ts'
import { highlightWords } from '../../lib/highlight-words.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './MailSection.module.css'

const heightAtFirst = 120
const heightMost = 20_000

interface MailBodyProps {
  id: string
  showsImages: boolean
  /** To be marked. */
  words: readonly string[]
}

/** A mail as a page of its own: the server gives it a policy, and nothing in it runs. */
export function MailBody({ id, showsImages, words }: MailBodyProps) {
  const { t } = useTranslation()
  const { id: workspace } = useWorkspace()
  const [height, setHeight] = useState(heightAtFirst)
  const [body, setBody] = useState<HTMLElement>()
  const [isMissing, setMissing] = useState(false)
  const [broken, setBroken] = useState(0)
  const connection = useConnection()
  useEffect(() => {
    // What could not be read while the server was away, or the session over, is read now.
    if (connection === 'connected') setMissing(false)
  }, [connection])
  useEffect(() => (body ? highlightWords(body, words) : undefined), [body, words])
  const measure = useCallback((frame: HTMLIFrameElement) => {
    const mail = frame.contentDocument
    // A refusal of the server is JSON; where it does not answer the browser shows a page of its own.
    if (mail?.contentType !== 'text/html') {
      setMissing(true)
      return
    }
    const root = mail.documentElement
    setBody(mail.body)
    const missing = Array.from(mail.images).filter((image) => image.src && !image.naturalWidth)
    setBroken(missing.length)
    // They look as they did before anybody asked for them.
    for (const image of missing) image.removeAttribute('src')
    // Keys do on a mail that was clicked what they do beside it.
    mail.addEventListener('keydown', (event) => {
      if (!frame.dispatchEvent(new KeyboardEvent('keydown', event))) event.preventDefault()
    })
    const adjust = () =>
      setHeight(Math.min(heightMost, Math.ceil(root.getBoundingClientRect().height)))
    adjust()
    // Images come later, and the window may become narrower.
    new ResizeObserver(adjust).observe(root)
  }, [])
  if (isMissing) {
    return (
      <FaultNotice
        fault={{ ...unreachable, message: t(($) => $.inbox.mailMissing) }}
        onRetry={() => setMissing(false)}
      />
    )
  }
  const query = new URLSearchParams({ workspace, ...(showsImages ? { images: 'true' } : {}) })
  return (
    <>
      {broken > 0 && (
        <p className={classes.images} role="status">
          {t(($) => $.inbox.imagesBroken, { count: broken })}
        </p>
      )}
      <div className={classes.paper}>
        <iframe
          key={String(showsImages)}
          className={classes.frame}
          title={t(($) => $.inbox.mail)}
          sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
          referrerPolicy="no-referrer"
          src={`/app/messages/${id}/body?${query}`}
          style={{ height }}
          onLoad={(event) => measure(event.currentTarget)}
        />
      </div>
    </>
  )
}
