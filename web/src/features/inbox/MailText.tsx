import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { hasWord } from '../../lib/highlight-words.ts'
import classes from './MailSection.module.css'
import { splitQuote } from './split-quote.ts'
import { useHighlights } from './useHighlights.ts'

interface MailTextProps {
  text: string
  /** To be marked. */
  words: readonly string[]
}

/** Plain text; what it quotes at its end is folded away, unless something is found in it. */
export function MailText({ text, words }: MailTextProps) {
  const { t } = useTranslation()
  const [isAskedFor, setAskedFor] = useState(false)
  const { own, quoted } = splitQuote(text)
  const isWhole = isAskedFor || hasWord(quoted, words)
  const element = useRef<HTMLDivElement>(null)
  useHighlights(element, words, `${isWhole} ${text}`)
  return (
    <div ref={element}>
      <p className={classes.text}>{own || t(($) => $.inbox.noText)}</p>
      {quoted !== '' && !isWhole && (
        // Its text begins where the mail's does.
        <Button
          variant="subtle"
          size="compact-xs"
          color="gray"
          ml={-8}
          onClick={() => setAskedFor(true)}
        >
          {t(($) => $.inbox.showQuoted)}
        </Button>
      )}
      {isWhole && <p className={`${classes.text} ${classes.quoted}`}>{quoted}</p>}
    </div>
  )
}
