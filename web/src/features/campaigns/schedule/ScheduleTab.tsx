import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CampaignSchedule } from '../../../api/generated/types.gen.ts'
import { showUndo } from '../../../ui/showUndo.tsx'
import { isEqual } from '../merge.ts'
import { campaignSearchOf } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import { DayField } from './DayField.tsx'
import { NextDays } from './NextDays.tsx'
import { WeekGrid } from './WeekGrid.tsx'
import { WindowFields } from './WindowFields.tsx'
import { type Drawn, newWindow, type Weekly } from './windows.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** When mail may be sent: weekly windows, each in its zone, between two dates. */
export function ScheduleTab() {
  const { t } = useTranslation()
  const { campaign, now, set, mayChange, problemAt } = useDraft()
  const { schedule: asked = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (index: number) =>
    void navigate({
      search: campaignSearchOf({ tab: 'schedule', schedule: index === 0 ? undefined : index + 1 }),
      replace: true,
    })
  const { schedules } = campaign.campaign_schedule
  const shown = Math.min(asked, schedules.length) - 1
  const own = schedules[shown]
  // What is written once its field is left is put into what is there by then.
  const save = (changes: Partial<CampaignSchedule>) =>
    set({ campaign_schedule: { ...now().campaign_schedule, ...changes } })
  const setOwn = (changes: Partial<Weekly>) => {
    const { schedules: then } = now().campaign_schedule
    save({ schedules: then.map((each, at) => (at === shown ? { ...each, ...changes } : each)) })
  }
  const draw = (drawn: Drawn, before: Weekly) => {
    setOwn(drawn)
    const { name, timing, days } = before
    showUndo(
      t(($) => $.campaigns.schedule.drawn, { name }),
      () => {
        // Only while it is as it was drawn: meanwhile it may be another one's place.
        const { schedules: then } = now().campaign_schedule
        const isDrawn = (each: Weekly) => isEqual({ ...before, ...drawn }, each)
        save({ schedules: then.map((each) => (isDrawn(each) ? { ...each, timing, days } : each)) })
      },
    )
  }
  const remove = (removed: Weekly) => {
    save({ schedules: schedules.toSpliced(shown, 1) })
    showUndo(
      t(($) => $.campaigns.schedule.removed, { name: removed.name }),
      () => {
        const { schedules: then } = now().campaign_schedule
        save({ schedules: then.toSpliced(shown, 0, removed) })
      },
    )
  }
  const problem = (name: string) => problemAt(`/campaign_schedule/schedules/${shown}/${name}`)
  return (
    <Stack>
      <Group gap="xs" role="group" aria-label={t(($) => $.campaigns.schedule.windows)}>
        {schedules.map(({ name }, index) => (
          <Button
            // biome-ignore lint/suspicious/noArrayIndexKey: schedules have no name that is unique
            key={index}
            size="xs"
            variant={index === shown ? 'light' : 'subtle'}
            aria-pressed={index === shown}
            onClick={() => show(index)}
          >
            {name}
          </Button>
        ))}
        {mayChange && schedules.length < 10 && (
          <Button
            size="xs"
            variant="subtle"
            leftSection={<Plus size="0.875rem" aria-hidden />}
            onClick={() => {
              save({ schedules: [...schedules, newWindow(own, schedules.length + 1)] })
              show(schedules.length)
            }}
          >
            {t(($) => $.campaigns.schedule.add)}
          </Button>
        )}
      </Group>
      {own && (
        <>
          <WindowFields
            own={own}
            shown={shown}
            readOnly={!mayChange}
            problem={problem}
            onChange={setOwn}
            onRemove={schedules.length > 1 ? () => remove(own) : undefined}
          />
          <WeekGrid
            windows={schedules}
            shown={shown}
            readOnly={!mayChange}
            onChange={setOwn}
            onDraw={(drawn) => draw(drawn, own)}
          />
          {mayChange && (
            <Text size="xs" c="dimmed">
              {t(($) => $.campaigns.schedule.hint)}
            </Text>
          )}
          {problem('days') && (
            <Text size="sm" c="var(--red-text)" role="alert">
              {problem('days')}
            </Text>
          )}
        </>
      )}
      <Group align="flex-start">
        {(['start_date', 'end_date'] as const).map((name) => (
          <DayField key={name} name={name} onChange={(day) => save({ [name]: day })} />
        ))}
      </Group>
      <section>
        <Title order={2} mb="xs">
          {t(($) => $.campaigns.schedule.next)}
        </Title>
        <NextDays />
      </section>
    </Stack>
  )
}
