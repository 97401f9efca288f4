import { Button, Kbd, Loader } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { plainText } from '../../ui/RichText/template-html.ts'
import type { Outgoing } from './outbox.ts'
import classes from './Reply.module.css'

/** In place of the answer: how long it can be taken back, and that it is being sent. */
export function OutgoingReply({ outgoing }: { outgoing: Outgoing }) {
  const { t } = useTranslation()
  const { state, undo, undoUntilMs, html } = outgoing
  const [nowMs, setNowMs] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.max(0, Math.ceil((undoUntilMs - nowMs) / 1000))
  const isUndoable = state === 'undoable'
  return (
    <div className={classes.outgoing} role="status">
      {!isUndoable && <Loader size="xs" />}
      <p title={plainText(html)}>
        {isUndoable ? t(($) => $.inbox.sendsIn, { seconds }) : t(($) => $.inbox.sending)}
      </p>
      {isUndoable && (
        <Button
          variant="default"
          size="xs"
          rightSection={<Kbd size="xs">z</Kbd>}
          onClick={() => undo()}
        >
          {t(($) => $.common.undo)}
        </Button>
      )}
    </div>
  )
}
