import { Button, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { lastDay } from '../../../lib/time.ts'
import { showUndo } from '../../../ui/showUndo.tsx'
import { campaignSearchOf } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import { NextDays } from './NextDays.tsx'
import { WeekGrid } from './WeekGrid.tsx'
import { WindowFields } from './WindowFields.tsx'
import { newWindow, type Weekly } from './windows.ts'

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
  const { campaign_schedule: schedule } = campaign
  const { schedules } = schedule
  const shown = Math.min(asked, schedules.length) - 1
  const own = schedules[shown]
  const save = (changes: Partial<typeof schedule>) =>
    set({ campaign_schedule: { ...schedule, ...changes } })
  const setOwn = (changes: Partial<Weekly>) =>
    save({
      schedules: schedules.map((each, index) => (index === shown ? { ...each, ...changes } : each)),
    })
  const remove = (removed: Weekly) => {
    save({ schedules: schedules.toSpliced(shown, 1) })
    showUndo(
      t(($) => $.campaigns.schedule.removed, { name: removed.name }),
      () => {
        const { campaign_schedule: then } = now()
        const back = then.schedules.toSpliced(shown, 0, removed)
        set({ campaign_schedule: { ...then, schedules: back } })
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
            readOnly={!mayChange}
            problem={problem}
            onChange={setOwn}
            onRemove={schedules.length > 1 ? () => remove(own) : undefined}
          />
          <WeekGrid windows={schedules} shown={shown} readOnly={!mayChange} onChange={setOwn} />
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
          <TextInput
            key={name}
            type="date"
            max={lastDay}
            label={t(($) => $.campaigns.schedule[name])}
            value={schedule[name] ?? ''}
            readOnly={!mayChange}
            error={problemAt(`/campaign_schedule/${name}`)}
            onChange={(event) => save({ [name]: event.currentTarget.value || null })}
          />
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
