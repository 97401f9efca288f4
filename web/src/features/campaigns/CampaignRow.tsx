import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { numberText } from '../../lib/number.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { useMay, useWorkspace } from '../users/index.ts'
import { CampaignMenu } from './CampaignMenu.tsx'
import classes from './CampaignRow.module.css'
import { CountWithRate } from './CountWithRate.tsx'
import { SendingState } from './SendingState.tsx'

interface CampaignRowProps {
  campaign: CampaignSummary
  onDelete: () => void
}

export function CampaignRow({ campaign, onDelete }: CampaignRowProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const mayChange = useMay('member')
  const { id, name, lead_counts, contacted, replied, auto_replied, interested } = campaign
  const { sending_status } = campaign
  const { total, active } = lead_counts
  const done = total - active
  // A campaign that has written to nobody has no results, good or bad.
  const count = (n: number) => (contacted + n === 0 ? '–' : numberText(n))
  return (
    <tr>
      <th scope="row">
        <Link to="/w/$handle/campaigns/$id" params={{ handle, id }} className={classes.name}>
          {name}
        </Link>
      </th>
      <td className={classes.state}>
        <SendingState campaign={campaign} />
      </td>
      <td className={classes.next}>
        {total === 0 ? (
          <Text size="sm" c="dimmed">
            {t(($) => $.campaigns.noLeads)}
          </Text>
        ) : (
          <>
            <span className="numbers">{t(($) => $.campaigns.doneOf, { done, total })}</span>
            <div className={classes.bar}>
              <span style={{ width: `${(100 * done) / total}%` }} />
            </div>
          </>
        )}
      </td>
      <td className={`end numbers ${classes.first}`}>{count(contacted)}</td>
      <td className="end">
        <CountWithRate count={replied} of={contacted} />
      </td>
      <td className={`end numbers ${classes.first}`}>{count(auto_replied)}</td>
      <td className={`end ${classes.next}`}>
        <CountWithRate count={interested} of={contacted} />
      </td>
      <td className={`end ${classes.first}`}>
        {sending_status.state === 'sending' ? (
          t(($) => $.campaigns.now)
        ) : sending_status.next_send_at ? (
          <RelativeTime at={sending_status.next_send_at} isAhead />
        ) : (
          '–'
        )}
      </td>
      <td className="end">
        {mayChange && <CampaignMenu campaign={campaign} onDelete={onDelete} />}
      </td>
    </tr>
  )
}
