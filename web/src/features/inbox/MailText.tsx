import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './MailSection.module.css'
import { splitQuote } from './split-quote.ts'

/** Plain text; what it quotes at its end is folded away. */
export function MailText({ text }: { text: string }) {
  const { t } = useTranslation()
  const [isWhole, setWhole] = useState(false)
  const { own, quoted } = splitQuote(text)
  return (
    <>
      <p className={classes.text}>{own || t(($) => $.inbox.noText)}</p>
      {quoted !== '' && !isWhole && (
        <Button variant="subtle" size="compact-xs" color="gray" onClick={() => setWhole(true)}>
          {t(($) => $.inbox.showQuoted)}
        </Button>
      )}
      {isWhole && <p className={`${classes.text} ${classes.quoted}`}>{quoted}</p>}
    </>
  )
}
