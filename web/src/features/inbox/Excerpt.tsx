import type { Thread } from '../../api/generated/types.gen.ts'
import classes from './Excerpt.module.css'

interface ExcerptProps {
  /** They follow each other in one text. */
  parts: NonNullable<Thread['excerpt']>
}

/** What a search found in a mail, with its words marked. */
export function Excerpt({ parts }: ExcerptProps) {
  let at = 0
  return parts.map(({ text, is_match }) => {
    const key = at
    at += text.length
    return is_match ? (
      <mark key={key} className={classes.match}>
        {text}
      </mark>
    ) : (
      <span key={key}>{text}</span>
    )
  })
}
