import { Button, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core'
import { ChevronLeft, ChevronRight, Send } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { type CampaignSearch, mailViews } from '../search.ts'
import type { Step } from '../steps/edit-steps.ts'
import { letterOf } from '../steps/edit-steps.ts'
import { useDraft } from '../useDraft.ts'
import { PickLead } from './PickLead.tsx'

const views = ['html', ...mailViews] as const

interface PreviewToolsProps {
  steps: Step[]
  asked: { lead: string | undefined; step: number; variant: number | undefined }
  view: CampaignSearch['view']
  onShow: (changes: CampaignSearch) => void
}

/** Whose mail, which step and variant, and how it is looked at. */
export function PreviewTools({ steps, asked, view, onShow }: PreviewToolsProps) {
  const { t } = useTranslation()
  const { campaign, mayChange } = useDraft()
  const { lead, step, variant } = asked
  const walk = (to: number) => onShow({ step: to, variant: undefined })
  return (
    <Group align="flex-end">
      <PickLead campaignId={campaign.id} lead={lead} onPick={(id) => onShow({ lead: id })} />
      <Group gap="xs" wrap="nowrap">
        <Button
          variant="default"
          px="xs"
          aria-label={t(($) => $.campaigns.preview.before)}
          disabled={step <= 1}
          onClick={() => walk(step - 1)}
        >
          <ChevronLeft size="1rem" aria-hidden />
        </Button>
        <Text size="sm" className="numbers">
          {t(($) => $.campaigns.preview.stepOf, { step, count: steps.length })}
        </Text>
        <Button
          variant="default"
          px="xs"
          aria-label={t(($) => $.campaigns.preview.after)}
          disabled={step >= steps.length}
          onClick={() => walk(step + 1)}
        >
          <ChevronRight size="1rem" aria-hidden />
        </Button>
      </Group>
      <NativeSelect
        aria-label={t(($) => $.campaigns.preview.variant)}
        value={variant ?? ''}
        onChange={(event) => onShow({ variant: Number(event.currentTarget.value) || undefined })}
        data={[
          { value: '', label: t(($) => $.campaigns.preview.chosen) },
          ...(steps[step - 1]?.variants ?? []).map((_, index) => ({
            value: String(index + 1),
            label: t(($) => $.campaigns.steps.variant, { letter: letterOf(index + 1) }),
          })),
        ]}
      />
      <SegmentedControl
        transitionDuration={0}
        aria-label={t(($) => $.campaigns.steps.view)}
        value={view ?? 'html'}
        onChange={(each) => onShow({ view: mailViews.find((known) => known === each) })}
        data={views.map((value) => ({ value, label: t(($) => $.campaigns.preview.views[value]) }))}
      />
      {mayChange && lead && (
        <Button
          leftSection={<Send size="1rem" aria-hidden />}
          onClick={() => onShow({ panel: 'test' })}
        >
          {t(($) => $.campaigns.test.action)}
        </Button>
      )}
    </Group>
  )
}
