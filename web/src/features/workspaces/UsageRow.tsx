import { useTranslation } from 'react-i18next'
import { numberText } from '../../lib/number.ts'
import classes from './UsageRow.module.css'

interface UsageRowProps {
  name: string
  used: number | string
  /** Null: unlimited; undefined: it knows no limit. */
  most?: number | null
  note?: string | undefined
}

/** How much, and of how much at most. */
export function UsageRow({ name, used, most, note }: UsageRowProps) {
  const { t } = useTranslation()
  const count = typeof used === 'string' ? used : numberText(used)
  const isLimited = typeof used === 'number' && typeof most === 'number'
  // Nothing can be used yet, as of mails without a mailbox.
  const isNothing = used === 0 && most === 0
  return (
    <div>
      <dt>{name}</dt>
      <dd className={`numbers ${classes.use}`}>
        <span>
          {isNothing ? '–' : isLimited ? t(($) => $.workspace.usage.of, { used, most }) : count}
          {most === null && ` · ${t(($) => $.workspace.unlimited)}`}
          {note && ` · ${note}`}
        </span>
        {isLimited && most > 0 && (
          <progress
            className={classes.bar}
            data-full={used >= most || undefined}
            value={Math.min(used, most)}
            max={most}
            aria-label={name}
          />
        )}
      </dd>
    </div>
  )
}
