import { Text, Title } from '@mantine/core'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AttentionItem } from '../../api/generated/types.gen.ts'
import { Moment } from '../../ui/Moment.tsx'
import { PlaceLink } from '../../ui/PlaceLink.tsx'
import { useWorkspace } from '../users/index.ts'
import classes from './Home.module.css'
import { placeOf } from './places.ts'
import { useAttentionText } from './useAttentionText.ts'

/** What does not work until somebody mends it, each with why, and where. */
export function AttentionList({ items }: { items: AttentionItem[] }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
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
            const { what, why, mend, place } = textOf(item)
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
                        {t(($) => $.home.attention.since)} <Moment at={item.since} />
                      </>
                    )}
                  </Text>
                </div>
                {place && <PlaceLink place={placeOf(handle, place, item.id)}>{mend}</PlaceLink>}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
