import { UnstyledButton } from '@mantine/core'
import { type PointerEvent, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nowMs } from '../../../lib/clock.ts'
import { ScheduleBar } from './ScheduleBar.tsx'
import classes from './WeekGrid.module.css'
import {
  type DayKey,
  type DraggedHours,
  dayMinutes,
  hoursFromDrag,
  type Point,
  spansOn,
  type WeeklySchedule,
  week,
} from './weekly-schedules.ts'

interface WeekGridProps {
  schedules: WeeklySchedule[]
  /** Of the schedule that is drawn. */
  shownIndex: number
  readOnly: boolean
  onChange: (changes: Pick<WeeklySchedule, 'days'>) => void
  onDraw: (hours: DraggedHours) => void
}

/** So far has the pointer to go before it draws: whoever only presses a day would lose all others. */
const drawsFromPx = 5

interface Press {
  start: Point
  clientX: number
  clientY: number
  /** Of the line, once it is one. */
  end?: Point | undefined
}

/** The week of a schedule in its zone, with the others in the same: dragging draws its days and hours, a day's name turns it on or off. */
export function WeekGrid({ schedules, shownIndex, readOnly, onChange, onDraw }: WeekGridProps) {
  const { t } = useTranslation()
  const [press, setPress] = useState<Press>()
  const tracks = useRef<(HTMLDivElement | null)[]>([])
  const schedule = schedules[shownIndex]
  if (!schedule) return null
  const pointAt = ({ clientX, clientY }: PointerEvent): Point => {
    const boxes = tracks.current.map((track) => track?.getBoundingClientRect())
    const row = boxes.findIndex((box) => box && clientY < box.bottom)
    const [box] = boxes
    const share = box ? (clientX - box.left) / box.width : 0
    const minutes = Math.min(dayMinutes - 1, Math.max(0, share * dayMinutes))
    return { row: row < 0 ? week.length - 1 : row, minutes }
  }
  const endOf = ({ clientX, clientY, end }: Press, event: PointerEvent) => {
    const movedPx = Math.hypot(event.clientX - clientX, event.clientY - clientY)
    return end || movedPx >= drawsFromPx ? pointAt(event) : undefined
  }
  const now = nowMs()
  const seen = press?.end ? { ...schedule, ...hoursFromDrag(press.start, press.end) } : schedule
  const toggle = (day: DayKey) =>
    onChange({ days: { ...schedule.days, [day]: !schedule.days[day] } })
  return (
    <div className={classes.grid}>
      <div className={classes.hours} aria-hidden>
        <span />
        {[0, 3, 6, 9, 12, 15, 18, 21].map((hour) => (
          <span key={hour}>{hour}</span>
        ))}
      </div>
      {week.map((day, row) => (
        <div key={day} className={classes.row}>
          <UnstyledButton
            className={classes.day}
            aria-pressed={schedule.days[day]}
            disabled={readOnly}
            onClick={() => toggle(day)}
          >
            {t(($) => $.campaigns.schedule.days[day])}
          </UnstyledButton>
          <div
            ref={(track) => {
              tracks.current[row] = track
            }}
            className={classes.track}
            data-day={day}
            data-locked={readOnly || undefined}
            onPointerDown={(event) => {
              if (readOnly || event.button !== 0) return
              event.currentTarget.setPointerCapture(event.pointerId)
              const { clientX, clientY } = event
              setPress({ start: pointAt(event), clientX, clientY })
            }}
            onPointerMove={(event) => press && setPress({ ...press, end: endOf(press, event) })}
            onPointerUp={(event) => {
              const end = press && endOf(press, event)
              if (end) onDraw(hoursFromDrag(press.start, end))
              setPress(undefined)
            }}
            onPointerCancel={() => setPress(undefined)}
          >
            {schedules.map((each, index) =>
              spansOn(day, index === shownIndex ? seen : each, schedule.timezone, now).map(
                (span) => (
                  <ScheduleBar
                    // biome-ignore lint/suspicious/noArrayIndexKey: schedules have no name that is unique
                    key={`${index} ${span.from}`}
                    span={span}
                    isShown={index === shownIndex}
                  />
                ),
              ),
            )}
          </div>
        </div>
      ))}
    </div>
  )
}
