import { ActionIcon, Menu } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Clock } from 'lucide-react'
import type { RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import { nowMs } from '../../lib/clock.ts'
import { exactTime } from '../../lib/time.ts'
import { SnoozeUntil } from './SnoozeUntil.tsx'
import { type SnoozeChoice, snoozeChoices, snoozeTime } from './snooze-times.ts'

interface SnoozeProps {
  buttonRef: RefObject<HTMLButtonElement | null>
  /** When it comes back; null: it is not put off. */
  until: string | null
  onSnooze: (until: string | undefined) => void
}

/** Puts a conversation off until it can be dealt with. */
export function Snooze({ buttonRef, until, onSnooze }: SnoozeProps) {
  const { t } = useTranslation()
  const label = t(($) => $.inbox.snooze.title)
  const isAway = until !== null && Date.parse(until) > nowMs()
  const timeOf = (choice: SnoozeChoice) => snoozeTime(choice, new Date(nowMs()))
  const [isChoosing, choosing] = useDisclosure()
  const menu = (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon ref={buttonRef} variant="subtle" color="gray" aria-label={label} title={label}>
          <Clock size="1rem" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{label}</Menu.Label>
        {snoozeChoices.map((choice) => (
          <Menu.Item
            key={choice}
            title={exactTime(timeOf(choice))}
            onClick={() => onSnooze(timeOf(choice))}
          >
            {t(($) => $.inbox.snooze[choice])}
          </Menu.Item>
        ))}
        <Menu.Item onClick={choosing.open}>{t(($) => $.inbox.snooze.choose)}</Menu.Item>
        {isAway && (
          <Menu.Item onClick={() => onSnooze(undefined)}>{t(($) => $.inbox.snooze.end)}</Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
  return (
    <>
      {menu}
      {isChoosing && (
        <SnoozeUntil
          onClose={choosing.close}
          onSnooze={(time) => {
            choosing.close()
            onSnooze(time)
          }}
        />
      )}
    </>
  )
}
