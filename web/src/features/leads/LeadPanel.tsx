import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getLeadOverviewOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { LeadJob, LeadOverview } from '../../api/generated/types.gen.ts'
import { fullName } from '../../lib/text.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { Read } from '../../ui/Read.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { SidePanel } from '../../ui/SidePanel.tsx'
import { LeadStatus } from '../labels/index.ts'
import { useMay } from '../users/index.ts'
import { LeadActions } from './LeadActions.tsx'
import { LeadCampaigns } from './LeadCampaigns.tsx'
import { LeadFields } from './LeadFields.tsx'
import { LeadHistory } from './LeadHistory.tsx'
import { NextMail } from './NextMail.tsx'

interface LeadPanelProps {
  id: string
  onOpen: (id: string) => void
  onChanged: (job: LeadJob) => void
  onClose: () => void
}

/** A lead: where it stands and why, what is known of it, and everything that happened. */
export function LeadPanel({ id, onOpen, onChanged, onClose }: LeadPanelProps) {
  const { t } = useTranslation()
  const isMember = useMay('member')
  const overview = useQuery(getLeadOverviewOptions({ path: { id } }))
  const { data } = overview
  const lead = data?.lead
  const name = lead && fullName(lead)
  const title = data?.is_erased
    ? t(($) => $.leads.erased)
    : name || (lead && <MailAddress value={lead.email} />)
  const mayChange = isMember && !data?.is_erased
  const isGone = overview.error?.statusCode === 404
  return (
    <SidePanel
      title={title ?? t(($) => (overview.isError ? $.leads.lead : $.common.loading))}
      lead={
        lead &&
        name && (
          <Text size="sm" c="dimmed">
            <MailAddress value={lead.email} />
          </Text>
        )
      }
      onClose={onClose}
    >
      {isGone ? (
        <EmptyState title={t(($) => $.notFound.title)} body={t(($) => $.leads.gone)} />
      ) : (
        <Read query={overview} rows={6}>
          {({ lead, ...data }) => (
            <Stack gap="lg">
              <div>
                <Group gap="xs">
                  <LeadStatus status={lead.status} />
                  {data.steps_total > 0 && (
                    <Text size="sm">
                      {lead.current_step === 0
                        ? t(($) => $.leads.panel.notContacted)
                        : t(($) => $.leads.panel.step, {
                            step: data.step,
                            of: data.steps_total,
                          })}
                    </Text>
                  )}
                  {lead.timestamp_next_send && data.reasons.length === 0 && (
                    <Text size="sm">
                      {t(($) => $.leads.panel.next)} <NextMail at={lead.timestamp_next_send} />
                      {data.mailbox_sends_at && (
                        <>
                          {t(($) => $.leads.panel.turn)}{' '}
                          <RelativeTime at={data.mailbox_sends_at} isAhead />
                        </>
                      )}
                    </Text>
                  )}
                </Group>
                {data.reasons.length > 0 && (
                  <Alert color={isOver(lead) ? 'gray' : 'yellow'} mt="sm" p="xs">
                    {data.reasons.map((reason) => (
                      <Text key={reason} size="sm">
                        {reason}
                      </Text>
                    ))}
                  </Alert>
                )}
              </div>
              {mayChange && <LeadActions lead={lead} onChanged={onChanged} onErased={onClose} />}
              <LeadCampaigns campaigns={data.campaigns} openId={id} onOpen={onOpen} />
              <LeadFields key={lead.id} lead={lead} said={data.variables} isReadOnly={!mayChange} />
              <LeadHistory id={id} hasConversation={data.has_conversation} />
            </Stack>
          )}
        </Read>
      )}
    </SidePanel>
  )
}

/** Nothing is to be done about it. */
const isOver = ({ sending_state }: Pick<LeadOverview['lead'], 'sending_state'>) =>
  sending_state === 'finished' || sending_state === 'stopped'
