import { useTranslation } from 'react-i18next'
import type { WebhookHealth } from '../../api/generated/types.gen.ts'
import classes from './AttemptStrip.module.css'

const attemptsMax = 30

/** The last attempts as bars, the newest at the end; a failure is taller, not only red. */
export function AttemptStrip({ recent }: { recent: WebhookHealth['recent'] }) {
  const { t } = useTranslation()
  const succeeded = recent.filter(({ success }) => success).length
  const label =
    recent.length === 0
      ? t(($) => $.webhooks.strip.none)
      : t(($) => $.webhooks.strip.some, { succeeded, count: recent.length })
  const missing = attemptsMax - recent.length
  return (
    <div className={classes.strip} role="img" aria-label={label} title={label}>
      {Array.from({ length: missing }, (_, index) => index).map((index) => (
        <i key={index} />
      ))}
      {recent.toReversed().map(({ id, success }) => (
        <i key={id} data-success={success} />
      ))}
    </div>
  )
}
