import { Alert, List, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LeadVariables } from '../../api/generated/types.gen.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { knowsAll, type Missing } from './missing-variables.ts'
import { useDraft } from './useDraft.ts'

interface MissingVariablesProps {
  missing: Missing[]
  known: LeadVariables
  /** Mails with conditions may say what is not known of them, too. */
  mayLackMore: boolean
}

/** Who is not sent a mail because it says what is not known of them; it starts all the same. */
export function MissingVariables({ missing, known, mayLackMore }: MissingVariablesProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { campaign } = useDraft()
  const [first] = missing
  const notes = (
    <>
      {!knowsAll(known, campaign) && (
        <Text size="sm" c="dimmed">
          {t(($) => $.campaigns.launch.lacking.newest, { count: known.leads })}
        </Text>
      )}
      {mayLackMore && (
        <Text size="sm" c="dimmed">
          {t(($) => $.campaigns.launch.lacking.conditions)}
        </Text>
      )}
    </>
  )
  if (!first) return notes
  return (
    <Alert
      color="yellow"
      icon={<TriangleAlert size="1rem" aria-hidden />}
      title={t(($) => $.campaigns.launch.lacking.title)}
    >
      <List size="sm" spacing={4}>
        {missing.map(({ name, count, step, variant }) => (
          <List.Item key={name}>
            {name}: {t(($) => $.campaigns.steps.lack, { count })}.{' '}
            <Link
              to="/w/$handle/campaigns/$id"
              params={{ handle, id: campaign.id }}
              search={{ tab: 'steps', step, variant }}
              className={classes.linkInNotice}
            >
              {t(($) => $.campaigns.launch.show)}
            </Link>
          </List.Item>
        ))}
      </List>
      <Text size="sm" mt="xs">
        {t(($) => $.campaigns.launch.lacking.how, {
          example: `{{${first.name} | default: "…"}}`,
        })}
      </Text>
      {notes}
    </Alert>
  )
}
