import { Text } from '@mantine/core'
import { alternatives } from '../../../ui/RichText/spintax.ts'
import classes from './MarkedSubject.module.css'

const marks = new RegExp(`(\\{\\{[^{}]*\\}\\}|${alternatives.source})`)

/** Variables and alternatives of a subject, marked as they are in the text; nothing where there are none. */
export function MarkedSubject({ subject, unknown }: { subject: string; unknown: string[] }) {
  // What stands at odd places is what the expression has found.
  const parts = subject.split(marks)
  if (parts.length === 1) return null
  return (
    <Text size="sm" className={classes.subject}>
      {parts.map((part, at) => {
        if (at % 2 === 0) return part
        const name = part.startsWith('{{') ? part.slice(2, -2).trim() : undefined
        const look =
          name === undefined ? 'spintax' : unknown.includes(name) ? 'unknown' : 'variable'
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a part is nothing but its place
          <span key={at} className={classes[look]}>
            {name ?? part}
          </span>
        )
      })}
    </Text>
  )
}
