import { Button, Skeleton, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { getLeadOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Conversation } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { MailAddress } from '../../ui/MailAddress.tsx'
import { PathLink } from '../../ui/PathLink.tsx'
import { LeadStatus } from '../labels/index.ts'
import { pagePath } from '../links/index.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './LeadAside.module.css'
import { LeadFacts } from './LeadFacts.tsx'
import { LeadProgress } from './LeadProgress.tsx'
import { SetLabel } from './SetLabel.tsx'
import { Unsubscribe } from './Unsubscribe.tsx'
import { useThreadChanges } from './useThreadChanges.ts'

/** Who one talks to: what they are to us, where they are in the sequence, and what is known of them. */
export function LeadAside({ thread }: { thread: Conversation }) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { mayChange, setLabel } = useThreadChanges()
  const { id, campaign_id, lead_email: email, lead_status: status } = thread
  // Where there is no room beside the mails; elsewhere all of it is always shown.
  const [isUnfolded, folding] = useDisclosure()
  const moreId = useId()
  const unsubscribe = (isAsked: boolean) =>
    email !== null && <Unsubscribe campaignId={campaign_id} email={email} isAsked={isAsked} />
  const lead = useQuery({
    ...getLeadOptions({ query: { campaign_id, email: email ?? '' } }),
    enabled: email !== null,
  })
  return (
    <aside
      className={classes.panel}
      data-unfolded={isUnfolded || undefined}
      aria-label={t(($) => $.inbox.lead.title)}
    >
      <div className={classes.head}>
        <Title order={3}>{thread.lead_name ?? email ?? t(($) => $.inbox.lead.gone)}</Title>
        {thread.lead_name && email && (
          <Text size="sm">
            <MailAddress value={email} />
          </Text>
        )}
        {email === null && <Text c="dimmed">{t(($) => $.inbox.lead.goneBody)}</Text>}
      </div>
      {thread.suggestion === 'unsubscribed' && mayChange && (
        <div className={classes.suggestion}>
          <Text size="sm">{t(($) => $.inbox.lead.asksToStop)}</Text>
          {unsubscribe(true)}
        </div>
      )}
      {status && !mayChange && (
        <div>
          <LeadStatus status={status} />
        </div>
      )}
      {status && mayChange && (
        <SetLabel status={status} onSet={(value) => void setLabel(id, value)} />
      )}
      {lead.isPending && email !== null && <Skeleton height={120} />}
      {lead.isError && <FaultNotice fault={lead.error} onRetry={() => void lead.refetch()} />}
      {lead.data && (
        <Button
          className={classes.fold}
          variant="subtle"
          size="xs"
          aria-expanded={isUnfolded}
          aria-controls={moreId}
          rightSection={
            isUnfolded ? (
              <ChevronUp size="0.875rem" aria-hidden />
            ) : (
              <ChevronDown size="0.875rem" aria-hidden />
            )
          }
          onClick={folding.toggle}
        >
          {t(($) => $.inbox.lead[isUnfolded ? 'less' : 'more'])}
        </Button>
      )}
      {lead.data && (
        <div id={moreId} className={classes.more}>
          <LeadProgress lead={lead.data} campaignName={thread.campaign_name} />
          <LeadFacts lead={lead.data} />
          <PathLink path={pagePath(handle, 'lead', id)}>{t(($) => $.inbox.lead.open)}</PathLink>
          {mayChange &&
            status !== 'unsubscribed' &&
            thread.suggestion === null &&
            unsubscribe(false)}
        </div>
      )}
    </aside>
  )
}
