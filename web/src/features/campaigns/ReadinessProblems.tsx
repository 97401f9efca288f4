import { Alert, Group, List } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleCheck, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CampaignReadiness } from '../../api/generated/types.gen.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { searchOfProblem } from './search.ts'
import { useDraft } from './useDraft.ts'

/** Everything that keeps it from starting, each with the way to its place. */
export function ReadinessProblems({ problems }: Pick<CampaignReadiness, 'problems'>) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { id } = useDraft().campaign
  if (problems.length === 0) {
    return (
      <Group gap="xs" c="var(--green-text)">
        <CircleCheck size="1rem" aria-hidden />
        {t(($) => $.campaigns.launch.ready)}
      </Group>
    )
  }
  return (
    <Alert
      color="yellow"
      icon={<TriangleAlert size="1rem" aria-hidden />}
      title={t(($) => $.campaigns.launch.problems)}
    >
      <List size="sm" spacing={4}>
        {problems.map(({ path, message }) => (
          <List.Item key={`${path} ${message}`}>
            {path === '/email_list' ? t(($) => $.campaigns.launch.noSender) : message}{' '}
            <Link
              to="/w/$handle/campaigns/$id"
              params={{ handle, id }}
              search={searchOfProblem(path)}
              className={classes.linkInNotice}
            >
              {t(($) => $.campaigns.launch.show)}
            </Link>
          </List.Item>
        ))}
      </List>
    </Alert>
  )
}
