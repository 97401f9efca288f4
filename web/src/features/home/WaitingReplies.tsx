import { Skeleton, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { listThreadsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { ListOf } from '../../ui/ListOf.tsx'
import { PathLink } from '../../ui/PathLink.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { pagePath } from '../links/index.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './Home.module.css'

const most = 5

/** The newest replies that nobody has answered. */
export function WaitingReplies() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const id = useId()
  const threads = useQuery(listThreadsOptions({ query: { view: 'waiting', limit: most } }))
  const inbox = pagePath(handle, 'inbox')
  return (
    <section aria-labelledby={id}>
      <div className={classes.head}>
        <Title order={2} id={id}>
          {t(($) => $.home.replies.title)}
        </Title>
        <PathLink path={inbox}>{t(($) => $.home.replies.all)}</PathLink>
      </div>
      <ListOf
        query={threads}
        pending={<Skeleton height={120} />}
        empty={<Text c="dimmed">{t(($) => $.home.replies.none)}</Text>}
      >
        {(items) => (
          <ul className={classes.rows}>
            {items.map((thread) => (
              <li key={thread.id} className={classes.reply}>
                <PathLink path={`${inbox}?thread=${thread.id}`}>
                  {thread.lead_name ?? thread.lead_email ?? thread.from_address}
                </PathLink>
                <span className={classes.snippet}>{thread.snippet}</span>
                <Text size="xs" c="dimmed">
                  <RelativeTime at={thread.timestamp_last_message} />
                </Text>
              </li>
            ))}
          </ul>
        )}
      </ListOf>
    </section>
  )
}
