import { Text } from '@mantine/core'
import { alternatives } from '../../../ui/RichText/spintax.ts'
import classes from './MarkedSubject.module.css'

const marks = new RegExp(`(\\{\\{[^{}]*\\}\\}|${alternatives.source})`)

/** Variables and alternatives of a subject, marked as they are in the text; nothing where there are none. */
export function MarkedSubject({ subject }: { subject: string }) {
  // What stands at odd places is what the expression has found.
  const parts = subject.split(marks)
  if (parts.length === 1) return null
  return (
    <Text size="sm" className={classes.subject}>
      {parts.map((part, at) =>
        at % 2 === 0 ? (
          part
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is nothing but its place
          <span key={at} className={part.startsWith('{{') ? classes.variable : classes.spintax}>
            {part.startsWith('{{') ? part.slice(2, -2).trim() : part}
          </span>
        ),
      )}
    </Text>
  )
}
