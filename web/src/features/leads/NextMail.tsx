import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/**
 * When the delay of a lead's next mail is over. From then on the mail is due and not "now": it waits for
 * the schedule, for what may be sent in a day, and for its turn.
 */
export function NextMail({ at }: { at: string }) {
  const { t } = useTranslation()
  return <RelativeTime at={at} isAhead onceThere={t(($) => $.leads.due)} />
}
