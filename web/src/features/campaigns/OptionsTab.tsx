import { NumberInput, Stack, Switch, TagsInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type texts from '../../texts/en.json'
import { NameField } from '../../ui/NameField.tsx'
import { Section } from '../../ui/Section.tsx'
import { CampaignMailboxes } from './CampaignMailboxes.tsx'
import type { Settings } from './edits.ts'
import { useCommitOnBlur } from './useCommitOnBlur.ts'
import { useDraft } from './useDraft.ts'

type Names = keyof typeof texts.campaigns.options.fields
type NamesOf<T> = { [Name in Names]: Settings[Name] extends T ? Name : never }[Names]

const limits = ['daily_limit', 'daily_max_leads'] as const
const gaps = ['email_gap', 'random_wait_max'] as const
const stops = ['stop_on_reply', 'stop_on_auto_reply', 'stop_for_company'] as const
const forms = ['text_only', 'first_email_text_only', 'insert_unsubscribe_header'] as const
const tracking = ['open_tracking', 'link_tracking'] as const

type NumberName = (typeof limits | typeof gaps)[number] | 'expire_after_days'

/** Everything that a campaign does besides its steps and its schedule, saved while it is set. */
export function OptionsTab() {
  const { t } = useTranslation()
  const { campaign, set, mayChange, problemAt } = useDraft()
  const common = (name: Names) => ({
    label: t(($) => $.campaigns.options.fields[name].label),
    description: t(($) => $.campaigns.options.fields[name].hint),
    error: problemAt(`/${name}`),
  })
  const flag = (name: NamesOf<boolean>) => (
    <Switch
      key={name}
      {...common(name)}
      checked={campaign[name]}
      disabled={!mayChange}
      onChange={(event) => set({ [name]: event.currentTarget.checked })}
    />
  )
  const number = (name: NumberName, min: number) => (
    <NumberOption key={name} {...common(name)} name={name} min={min} />
  )
  const addresses = (name: 'cc_list' | 'bcc_list') => (
    <TagsInput
      {...common(name)}
      error={
        problemAt(`/${name}`) ??
        campaign[name]
          .map((_, at) => problemAt(`/${name}/${at}`))
          .find((each) => each !== undefined)
      }
      value={campaign[name]}
      readOnly={!mayChange}
      maxTags={20}
      onChange={(value) => set({ [name]: value })}
    />
  )
  return (
    <>
      <Section title={t(($) => $.campaigns.options.general)}>
        <NameField
          {...common('name')}
          value={campaign.name}
          readOnly={!mayChange}
          onChange={(name) => set({ name })}
        />
      </Section>
      <Section
        title={t(($) => $.campaigns.options.senders)}
        lead={t(($) => $.campaigns.options.sendersLead)}
      >
        <CampaignMailboxes />
      </Section>
      <Section
        title={t(($) => $.campaigns.options.pace)}
        lead={t(($) => $.campaigns.options.paceLead)}
      >
        <Stack>
          {number('daily_limit', 1)}
          {number('daily_max_leads', 0)}
          {number('email_gap', 0)}
          {number('random_wait_max', 0)}
          {number('expire_after_days', 1)}
          {flag('prioritize_new_leads')}
        </Stack>
      </Section>
      <Section title={t(($) => $.campaigns.options.stopping)}>
        <Stack>{stops.map(flag)}</Stack>
      </Section>
      <Section title={t(($) => $.campaigns.options.form)}>
        <Stack>
          {forms.map(flag)}
          {addresses('cc_list')}
          {addresses('bcc_list')}
        </Stack>
      </Section>
      <Section
        title={t(($) => $.campaigns.options.tracking)}
        lead={t(($) => $.campaigns.options.trackingLead)}
      >
        <Stack>{tracking.map(flag)}</Stack>
      </Section>
    </>
  )
}

interface NumberOptionProps {
  name: NumberName
  min: number
  label: string
  description: string
  error: string | undefined
}

/** Empty on the way to another number is no limit at all, which counts once somebody has left it so. */
function NumberOption({ name, min, ...common }: NumberOptionProps) {
  const { t } = useTranslation()
  const { set, mayChange } = useDraft()
  const isGap = gaps.some((gap) => gap === name)
  const { value, type, commitHandlers } = useCommitOnBlur<number | null>({
    read: (campaign) => campaign[name],
    write: (committed) => set({ [name]: committed }),
  })
  return (
    <NumberInput
      {...common}
      {...commitHandlers}
      min={min}
      max={
        name === 'expire_after_days'
          ? 3650
          : min === 0 && name !== 'daily_max_leads'
            ? 1440
            : 100_000
      }
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="strict"
      maw="16rem"
      placeholder={isGap ? '0' : t(($) => $.campaigns.options.none)}
      value={value ?? ''}
      readOnly={!mayChange}
      onChange={(next) => type(next === '' ? (isGap ? 0 : null) : Number(next))}
    />
  )
}
