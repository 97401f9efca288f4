import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getTryOutOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { TryOutReceiver } from '../../api/generated/types.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import { exactTime } from '../../lib/time.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { Read } from '../../ui/Read.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import classes from './TryOut.module.css'

const shownMax = 5

/** What has arrived at the try-out receiver that a webhook points to, verified as a receiver would. */
export function TryOut({ token, webhookId }: { token: string; webhookId: string }) {
  const receiver = useQuery(getTryOutOptions({ path: { token } }))
  if (receiver.error?.code === 'not_found') return null
  return <Read query={receiver}>{(data) => <Calls receiver={data} webhookId={webhookId} />}</Read>
}

function Calls({ receiver, webhookId }: { receiver: TryOutReceiver; webhookId: string }) {
  const { t } = useTranslation()
  const { items, timestamp_expires } = receiver
  const isOver = Date.parse(timestamp_expires) <= nowMs()
  return (
    <section className={classes.receiver} aria-label={t(($) => $.webhooks.tryOut.title)}>
      <Title order={2}>{t(($) => $.webhooks.tryOut.title)}</Title>
      <Text size="sm" c="dimmed">
        {t(($) => (isOver ? $.webhooks.tryOut.over : $.webhooks.tryOut.until))}{' '}
        {/* What is to come is told as "in 60 min.", which ends the sentence. */}
        <RelativeTime at={timestamp_expires} />
        {isOver && '.'}
        {!isOver && items.length === 0 && <> {t(($) => $.webhooks.tryOut.next)}</>}
      </Text>
      {items.length > 0 && (
        <Stack gap="xs" mt="sm">
          {items
            .slice(0, shownMax)
            .map(({ id, body, problem, verified_by, timestamp_created }, at) => (
              <details key={id} className={classes.call} open={id === items[0]?.id}>
                <summary>
                  {verified_by === webhookId || problem === null ? (
                    <StateBadge tone="green">{t(($) => $.webhooks.tryOut.verified)}</StateBadge>
                  ) : (
                    <StateBadge tone="red">
                      {t(($) => $.webhooks.tryOut.problems[problem])}
                    </StateBadge>
                  )}
                  <span>{typeOf(body)}</span>
                  <RelativeTime at={timestamp_created} />
                </summary>
                <CodeBlock
                  label={t(($) => $.webhooks.tryOut.body, {
                    // Some arrive within one second.
                    ...{ number: items.length - at, at: exactTime(timestamp_created) },
                  })}
                >
                  {pretty(body)}
                </CodeBlock>
              </details>
            ))}
        </Stack>
      )}
    </section>
  )
}

function typeOf(body: string): string {
  const { type } = parse(body) as { type?: unknown }
  return typeof type === 'string' ? type : ''
}

const pretty = (body: string) => {
  const value = parse(body)
  return Object.keys(value).length === 0 ? body : JSON.stringify(value, null, 2)
}

function parse(body: string): object {
  try {
    return Object(JSON.parse(body)) as object
  } catch {
    return {}
  }
}
