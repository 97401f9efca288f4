import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Campaign, CampaignSchedule } from '../../../api/generated/types.gen.ts'
import { isEqual } from '../merge.ts'
import { campaignSearchOf } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import { DayField } from './DayField.tsx'
import { NextDays } from './NextDays.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import { WeekGrid } from './WeekGrid.tsx'
import { type DraggedHours, newSchedule, type WeeklySchedule } from './weekly-schedules.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** When mail may be sent: weekly schedules, each in its zone, between two dates. */
export function ScheduleTab() {
  const { t } = useTranslation()
  const { campaign, now, set, offerUndo, mayChange, problemAt } = useDraft()
  const { schedule: asked = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const show = (index: number) =>
    void navigate({
      search: campaignSearchOf({ tab: 'schedule', schedule: index === 0 ? undefined : index + 1 }),
      replace: true,
    })
  const { schedules } = campaign.campaign_schedule
  const shownIndex = Math.min(asked, schedules.length) - 1
  const schedule = schedules[shownIndex]
  // What is written once its field is left is put into what is there by then.
  const save = (changes: Partial<CampaignSchedule>) =>
    set({ campaign_schedule: { ...now().campaign_schedule, ...changes } })
  const changed = (
    { campaign_schedule }: Campaign,
    to: (then: WeeklySchedule[]) => WeeklySchedule[],
  ) => ({
    campaign_schedule: { ...campaign_schedule, schedules: to(campaign_schedule.schedules) },
  })
  const setSchedule = (changes: Partial<WeeklySchedule>) =>
    set(
      changed(now(), (then) =>
        then.map((each, at) => (at === shownIndex ? { ...each, ...changes } : each)),
      ),
    )
  const draw = (hours: DraggedHours, before: WeeklySchedule) => {
    const { name, timing, days } = before
    // Only while it is as it was drawn: meanwhile it may be another one's place.
    const isDrawn = (each: WeeklySchedule) => isEqual({ ...before, ...hours }, each)
    offerUndo(
      t(($) => $.campaigns.schedule.drawn, { name }),
      (mine) =>
        changed(mine, (then) =>
          then.map((each) => (isDrawn(each) ? { ...each, timing, days } : each)),
        ),
    )
    setSchedule(hours)
  }
  const remove = (removed: WeeklySchedule) => {
    offerUndo(
      t(($) => $.campaigns.schedule.removed, { name: removed.name }),
      (mine) => changed(mine, (then) => then.toSpliced(shownIndex, 0, removed)),
    )
    save({ schedules: schedules.toSpliced(shownIndex, 1) })
  }
  const problem = (name: string) => problemAt(`/campaign_schedule/schedules/${shownIndex}/${name}`)
  return (
    <Stack>
      <Group gap="xs" role="group" aria-label={t(($) => $.campaigns.schedule.windows)}>
        {schedules.map(({ name }, index) => (
          <Button
            // biome-ignore lint/suspicious/noArrayIndexKey: schedules have no name that is unique
            key={index}
            size="xs"
            variant={index === shownIndex ? 'light' : 'subtle'}
            aria-pressed={index === shownIndex}
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
              const name = t(($) => $.campaigns.schedule.newName, { number: schedules.length + 1 })
              save({ schedules: [...schedules, newSchedule(schedule, name)] })
              show(schedules.length)
            }}
          >
            {t(($) => $.campaigns.schedule.add)}
          </Button>
        )}
      </Group>
      {schedule && (
        <>
          <ScheduleFields
            schedule={schedule}
            shownIndex={shownIndex}
            readOnly={!mayChange}
            problem={problem}
            onChange={setSchedule}
            onRemove={schedules.length > 1 ? () => remove(schedule) : undefined}
          />
          <WeekGrid
            schedules={schedules}
            shownIndex={shownIndex}
            readOnly={!mayChange}
            onChange={setSchedule}
            onDraw={(hours) => draw(hours, schedule)}
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
