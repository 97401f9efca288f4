import { Text, Title } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AttentionItem } from '../../api/generated/types.gen.ts'
import { PathLink } from '../../ui/PathLink.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { pagePath } from '../links/index.ts'
import { useSignedIn, useWorkspace } from '../users/index.ts'
import { ConfirmRestore } from './ConfirmRestore.tsx'
import classes from './Home.module.css'
import { MissedEvents } from './MissedEvents.tsx'
import { useAttentionText } from './useAttentionText.ts'

/** What does not work until somebody mends it, each with why, and where. */
export function AttentionList({ items }: { items: AttentionItem[] }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { user } = useSignedIn()
  const textOf = useAttentionText()
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <Title order={2} id={id} mb="sm">
        {t(($) => $.home.attention.title)}
      </Title>
      {items.length === 0 ? (
        <p className={classes.well}>
          <CircleCheck size="1.125rem" aria-hidden />
          {t(($) => $.home.attention.none)}
        </p>
      ) : (
        <ul className={classes.rows}>
          {items.map((item) => {
            const { what, why, mend, page } = textOf(item)
            return (
              <li key={`${item.kind} ${item.id}`} className={classes.trouble}>
                <TriangleAlert size="1.125rem" aria-hidden />
                <div>
                  <Text fw={550}>{what}</Text>
                  <Text size="sm" c="dimmed">
                    {why}
                    {item.since && (
                      <>
                        {' '}
                        {t(($) => $.home.attention[isUnread(item) ? 'lastRead' : 'since'])}{' '}
                        <RelativeTime at={item.since} />.
                      </>
                    )}
                    {isSwitchedOff(item) && item.id && <MissedEvents id={item.id} />}
                  </Text>
                </div>
                {item.kind === 'held' && user.is_operator && <ConfirmRestore />}
                {page && <PathLink path={pagePath(handle, page, item.id)}>{mend}</PathLink>}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}

const isUnread = ({ kind }: AttentionItem) => kind === 'mailbox_unread'

const isSwitchedOff = ({ kind, reason }: AttentionItem) =>
  kind === 'webhook' && reason !== 'failing_now'
