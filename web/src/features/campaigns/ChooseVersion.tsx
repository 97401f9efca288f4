import { Button, Group, Modal, SegmentedControl, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { partsBeside } from '../../lib/text.ts'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { plainText } from '../../ui/RichText/template-html.ts'
import classes from './ChooseVersion.module.css'
import type { Conflict } from './merge.ts'
import { type WeeklySchedule, week } from './schedule/weekly-schedules.ts'
import { letterOf, type Step, stepsOf, type Variant } from './steps/edit-steps.ts'
import { useDraft } from './useDraft.ts'
import { useFieldName } from './useFieldName.ts'

/** Both versions of what two people changed at once, side by side; the rest is put together already. */
export function ChooseVersion() {
  const { t } = useTranslation()
  const { conflicts, saving, resolve } = useDraft()
  return (
    <Modal
      opened={saving === 'conflict'}
      onClose={() => undefined}
      withCloseButton={false}
      size="xl"
      title={t(($) => $.campaigns.conflict.title)}
    >
      <Choices
        key={conflicts.map(({ path }) => path).join()}
        conflicts={conflicts}
        onDone={resolve}
      />
    </Modal>
  )
}

interface ChoicesProps {
  conflicts: Conflict[]
  onDone: (keepsMine: boolean[]) => void
}

function Choices({ conflicts, onDone }: ChoicesProps) {
  const { t } = useTranslation()
  const { campaign } = useDraft()
  const nameOf = useFieldName()
  const [keepsMine, setKeepsMine] = useState<(boolean | undefined)[]>(() =>
    conflicts.map(() => undefined),
  )
  const chosen = keepsMine.filter((each) => each !== undefined)
  return (
    <Stack>
      {/* It opens while somebody types: the next key must neither choose nor save. */}
      <Text data-autofocus tabIndex={-1} className={classes.body}>
        {t(($) => $.campaigns.conflict.body)}
      </Text>
      {conflicts.map((conflict, index) => (
        <section key={conflict.path} aria-label={nameOf(conflict.path, campaign)}>
          <Group justify="space-between" mb={4}>
            <Text fw={500}>{nameOf(conflict.path, campaign)}</Text>
            <SegmentedControl
              transitionDuration={0}
              size="xs"
              aria-label={nameOf(conflict.path, campaign)}
              value={choiceOf(keepsMine[index])}
              onChange={(value) =>
                setKeepsMine(keepsMine.map((each, at) => (at === index ? value === 'mine' : each)))
              }
              data={[
                { value: 'mine', label: t(($) => $.campaigns.conflict.keepMine) },
                { value: 'theirs', label: t(($) => $.campaigns.conflict.keepTheirs) },
              ]}
            />
          </Group>
          <Versions conflict={conflict} />
        </section>
      ))}
      <Group justify="flex-end">
        <Button disabled={chosen.length < conflicts.length} onClick={() => onDone(chosen)}>
          {t(($) => $.campaigns.conflict.save)}
        </Button>
      </Group>
    </Stack>
  )
}

const choiceOf = (keepsMine: boolean | undefined) =>
  keepsMine === undefined ? '' : keepsMine ? 'mine' : 'theirs'

/** Mails by their words, and by their source where the words are the same, or a person asks for it. */
function Versions({ conflict }: { conflict: Conflict }) {
  const { t } = useTranslation()
  const { campaign } = useDraft()
  const nameOf = useFieldName()
  const [isAsked, setAsked] = useState(false)
  const bothBy = (shown: ReturnType<typeof useShown>) => ({
    mine: shown(conflict, 'mine'),
    theirs: shown(conflict, 'theirs'),
  })
  const words = bothBy(useShown(plainText))
  const sources = bothBy(useShown((html) => html))
  const isMail = words.mine !== sources.mine || words.theirs !== sources.theirs
  const isFormatting = words.mine === words.theirs && sources.mine !== sources.theirs
  const isSource = isFormatting || (isMail && isAsked)
  const shown = isSource ? sources : words
  const difference = isFormatting
    ? 'formatting'
    : isMail && tagsOf(sources.mine) !== tagsOf(sources.theirs)
      ? 'moreThanWords'
      : undefined
  const version = (whose: Whose, other: Whose) => {
    const name = t(($) => $.campaigns.conflict[whose])
    const [start, own, end] = partsBeside(shown[whose], shown[other])
    return (
      <div>
        <Text size="xs" c="dimmed" mb={4}>
          {name}
        </Text>
        <CodeBlock label={`${nameOf(conflict.path, campaign)}: ${name}`}>
          {start}
          {own && <mark>{own}</mark>}
          {end}
        </CodeBlock>
      </div>
    )
  }
  return (
    <>
      {difference && (
        <Text size="sm" mb={4}>
          {t(($) => $.campaigns.conflict[difference])}
        </Text>
      )}
      {isMail && !isFormatting && (
        <Switch
          size="xs"
          mb={4}
          label={t(($) => $.campaigns.conflict.source)}
          checked={isAsked}
          onChange={({ currentTarget }) => setAsked(currentTarget.checked)}
        />
      )}
      <div className={`${classes.both} ${isSource ? '' : classes.words}`}>
        {version('mine', 'theirs')}
        {version('theirs', 'mine')}
      </div>
    </>
  )
}

type Whose = 'mine' | 'theirs'

/** Images, links and what is bold are in the tags; paragraphs and the ends of lines are seen in the words. */
const tagsOf = (source: string) => source.match(/<(?!\/?(?:p|br)\s*\/?>)[^>]*>/gi)?.join('')

/** @param mailText how the HTML of a mail is told */
function useShown(mailText: (html: string) => string) {
  const { t } = useTranslation()
  const waitOf = ({ delay, delay_unit }: Step) =>
    `${delay} ${t(($) => $.campaigns.steps.units[delay_unit])}`
  const variantText = ({ subject, body, v_disabled }: Variant, at: number, isRemoved = false) => {
    const letter = letterOf(at + 1)
    const heading = isRemoved
      ? t(($) => $.campaigns.conflict.removedVariant, { letter })
      : t(($) => $.campaigns.steps.variant, { letter })
    const off = v_disabled ? ` (${t(($) => $.campaigns.steps.off)})` : ''
    return [heading + off, subject, mailText(body)].filter(Boolean).join('\n')
  }
  const stepText = (step: Step, at: number, isRemoved = false) => {
    const number = at + 1
    const heading = isRemoved
      ? t(($) => $.campaigns.conflict.removedStep, { number })
      : t(($) => $.campaigns.steps.number, { number })
    const variants = step.variants.map((variant, index) => variantText(variant, index))
    return [`${heading}, ${waitOf(step)}`, ...variants].join('\n')
  }
  const hoursOf = ({ timing, timezone }: Pick<WeeklySchedule, 'timing' | 'timezone'>) =>
    `${timing.from} - ${timing.to}, ${timezone}`
  const scheduleText = (schedule: WeeklySchedule) => {
    const days = week.filter((day) => schedule.days[day])
    const named = days.map((day) => t(($) => $.campaigns.schedule.days[day]))
    return [schedule.name, named.join(', '), hoursOf(schedule)].filter(Boolean).join('\n')
  }
  return ({ path, base, ...conflict }: Conflict, whose: Whose): string => {
    const value = conflict[whose]
    if (path.endsWith('/wait')) return waitOf(value as Step)
    if (path.endsWith('/hours')) return hoursOf(value as WeeklySchedule)
    if (path.endsWith('/schedules')) {
      return (value as WeeklySchedule[]).map(scheduleText).join('\n\n')
    }
    if (path.endsWith('/variants')) {
      return withRemoved(value as Variant[], base as Variant[], variantText)
    }
    if (path.endsWith('/steps')) return withRemoved(value as Step[], base as Step[], stepText)
    // Its name is that of the switch, which sends it.
    if (path.endsWith('/v_disabled')) return String(value !== true)
    if (path === '/sequences') return withRemoved(stepsIn(value), stepsIn(base), stepText)
    if (path.endsWith('/body')) return mailText(value as string)
    if (typeof value === 'string') return value
    const items = (Array.isArray(value) ? value : [value]).filter((item) => item !== null)
    return items.join('\n') || t(($) => $.campaigns.conflict.none)
  }
}

const stepsIn = (sequences: unknown) => stepsOf({ sequences: sequences as Campaign['sequences'] })

/** What is there, in its order, and then what was removed. */
const withRemoved = <T extends { id: string }>(
  list: T[],
  before: T[],
  text: (item: T, at: number, isRemoved?: boolean) => string,
) =>
  [
    ...list.map((item, at) => text(item, at)),
    ...before.flatMap((item, at) =>
      list.some(({ id }) => id === item.id) ? [] : [text(item, at, true)],
    ),
  ].join('\n\n')
