import { Alert, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { listLeadsOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { Read } from '../../../ui/Read.tsx'
import { ImportLeads } from '../../leads/index.ts'
import { sentencesOf } from '../save-accepted.ts'
import { type CampaignSearch, campaignSearchOf } from '../search.ts'
import { stepsOf } from '../steps/edit-steps.ts'
import { useDraft } from '../useDraft.ts'
import { useInWords } from '../useFieldName.ts'
import { PreviewedMail } from './PreviewedMail.tsx'
import { PreviewTools } from './PreviewTools.tsx'
import { previewQuery } from './preview-query.ts'
import { SendTest } from './SendTest.tsx'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** Each mail exactly as a lead would get it now, with what is not saved yet. */
export function PreviewTab() {
  const { t } = useTranslation()
  const { campaign, base, mayChange, saving } = useDraft()
  const { step = 1, variant, lead: picked, panel, view } = route.useSearch()
  const navigate = route.useNavigate()
  const steps = stepsOf(campaign)
  const newest = useQuery({
    ...listLeadsOptions({ query: { campaign_id: campaign.id, limit: 1 } }),
    enabled: picked === undefined && steps.length > 0,
  })
  const lead = picked ?? newest.data?.items[0]?.id
  const asked = { lead, step: Math.min(step, Math.max(1, steps.length)), variant }
  const preview = useQuery({
    ...previewQuery({ campaign, base, saving }, asked),
    enabled: lead !== undefined && steps.length > 0,
    placeholderData: (before) => before,
  })
  const inWords = useInWords()
  // What has to be written otherwise is no trouble that passes.
  const refused =
    preview.error?.code === 'invalid_field' ? inWords(preview.error, campaign) : undefined
  const show = (changes: CampaignSearch) =>
    void navigate({
      search: campaignSearchOf({ tab: 'preview', ...asked, view, ...changes }),
      replace: true,
    })
  if (steps.length === 0) {
    return (
      <EmptyState
        title={t(($) => $.campaigns.preview.noStep)}
        body={t(($) => $.campaigns.preview.noStepBody)}
      />
    )
  }
  if (lead === undefined && newest.isSuccess) {
    return (
      <EmptyState
        title={t(($) => $.campaigns.preview.nobody)}
        body={t(($) => $.campaigns.preview.nobodyBody)}
        action={mayChange && <ImportLeads campaignId={campaign.id} />}
      />
    )
  }
  return (
    <Stack>
      <PreviewTools steps={steps} asked={asked} view={view} onShow={show} />
      {lead === undefined ? (
        <Read query={newest} rows={5}>
          {() => null}
        </Read>
      ) : refused ? (
        <Alert color="red" role="alert" icon={<TriangleAlert size="1rem" aria-hidden />}>
          {sentencesOf(refused).join('; ')}
        </Alert>
      ) : (
        <Read query={preview} rows={5}>
          {(data) => <PreviewedMail preview={data} view={view} />}
        </Read>
      )}
      {lead && (
        <SendTest
          opened={panel === 'test' && mayChange}
          lead={lead}
          step={asked.step}
          variant={variant}
          onClose={() => show({})}
        />
      )}
    </Stack>
  )
}
