import { Alert, List, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import type { LostImage } from './lost-images.ts'
import { useDraft } from './useDraft.ts'

/** What many readers see nothing of; it starts all the same. */
export function LostImages({ lost }: { lost: LostImage[] }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id } = useDraft().campaign
  if (lost.length === 0) return null
  return (
    <Alert
      color="yellow"
      icon={<TriangleAlert size="1rem" aria-hidden />}
      title={t(($) => $.campaigns.launch.lostImages.title)}
    >
      <List size="sm" spacing={4}>
        {lost.map(({ src, step, variant }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same image may stand in a mail twice
          <List.Item key={at}>
            {t(($) => $.campaigns.launch.lostImages.image, { src: src.slice(0, 80) })}{' '}
            <Link
              to="/w/$handle/campaigns/$id"
              params={{ handle, id }}
              search={{ tab: 'steps', step, variant }}
              className={classes.linkInNotice}
            >
              {t(($) => $.campaigns.launch.show)}
            </Link>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        {t(($) => $.campaigns.launch.lostImages.how)}
      </Text>
    </Alert>
  )
}
