import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { sentencesOf } from './save-accepted.ts'
import { searchOfProblem } from './search.ts'
import { useDraft } from './useDraft.ts'

/** Whether what was typed has reached the server; nothing has to be pressed for it. */
export function SavingState() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { campaign, saving, fault } = useDraft()
  // What belongs to no place has none to lead to.
  const first = fault?.details?.find(({ path }) => path !== '')
  const isBad = saving === 'refused' || saving === 'conflict'
  return (
    <Text
      role="status"
      size="xs"
      maw="24rem"
      c={isBad ? 'var(--red-text)' : 'dimmed'}
      data-saving={saving}
    >
      {saving === 'refused'
        ? t(($) => $.campaigns.saving.refused, {
            message: fault ? sentencesOf(fault).join('; ') : '',
          })
        : t(($) => $.campaigns.saving[saving])}{' '}
      {saving === 'refused' && first && (
        <Link
          to="/w/$handle/campaigns/$id"
          params={{ handle, id: campaign.id }}
          search={searchOfProblem(first.path)}
          className={classes.linkInNotice}
        >
          {t(($) => $.campaigns.launch.show)}
        </Link>
      )}
    </Text>
  )
}
