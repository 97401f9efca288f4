import { VisuallyHidden } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { AxisBottom, AxisLeft } from '@visx/axis'
import { scaleBand, scaleLinear } from '@visx/scale'
import { useState } from 'react'
import { numberText } from '../lib/number.ts'
import { shortDay } from '../lib/time.ts'
import classes from './DayBars.module.css'
import type { Tone } from './StateBadge.tsx'

export interface DayCounts {
  /** `YYYY-MM-DD`. */
  date: string
  /** One for each series. */
  counts: number[]
}

interface DayBarsProps {
  label: string
  /** Stacked, the first at the bottom. */
  series: { label: string; tone: Tone }[]
  days: DayCounts[]
  height?: number
}

const margin = { top: 8, right: 4, bottom: 24, left: 36 }
const tickWidth = 64

/** Counts for each day. Who cannot see the bars is read a table. */
export function DayBars({ label, series, days, height = 140 }: DayBarsProps) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<string>()
  const shown = days.find(({ date }) => date === pointed)
  const x = scaleBand({
    domain: days.map(({ date }) => date),
    range: [margin.left, Math.max(width - margin.right, margin.left)],
    padding: 0.25,
  })
  const y = scaleLinear({
    domain: [0, Math.max(4, ...days.map(({ counts }) => sum(counts)))],
    range: [height - margin.bottom, margin.top],
    nice: true,
  })
  const ticksMax = Math.max(1, Math.floor(width / tickWidth))
  const every = Math.ceil(days.length / ticksMax)
  return (
    <figure ref={ref} className={classes.figure}>
      <figcaption className={classes.caption}>
        <span>{shown ? shortDay(shown.date) : label}</span>
        <span className={classes.key}>
          {series.map(({ label: name, tone }, index) => (
            <span key={name} data-tone={tone}>
              {/* A single one is what the whole is about. */}
              {(shown || series.length > 1) && name}{' '}
              {numberText(shown ? (shown.counts[index] ?? 0) : total(days, index))}
            </span>
          ))}
        </span>
      </figcaption>
      <svg
        height={height}
        aria-hidden
        className={classes.chart}
        onPointerLeave={() => setPointed(undefined)}
      >
        {width > 0 &&
          days.map(({ date, counts }) => (
            <g key={date} onPointerEnter={() => setPointed(date)}>
              <rect
                className={classes.day}
                data-pointed={date === pointed || undefined}
                x={x(date)}
                y={margin.top}
                width={x.bandwidth()}
                height={height - margin.top - margin.bottom}
              />
              {series.map(({ label: name, tone }, index) => {
                const below = sum(counts.slice(0, index).map((each) => Math.max(0, each)))
                // Taken back on a later day, it may be less than none: that has no bar.
                const count = Math.max(0, counts[index] ?? 0)
                return (
                  <rect
                    key={name}
                    className={classes.bar}
                    data-tone={tone}
                    x={x(date)}
                    y={y(below + count)}
                    width={x.bandwidth()}
                    height={y(below) - y(below + count)}
                    rx={1}
                  />
                )
              })}
            </g>
          ))}
        <AxisLeft
          left={margin.left}
          scale={y}
          numTicks={3}
          hideAxisLine
          hideTicks
          tickFormat={(count) => compact.format(Number(count))}
          tickLabelProps={{ className: classes.tick, dx: -4, dy: 3 }}
        />
        <AxisBottom
          top={height - margin.bottom}
          scale={x}
          hideTicks
          stroke="var(--hairline)"
          tickFormat={shortDay}
          tickLabelProps={{ className: classes.tick }}
          tickValues={days.filter((_, index) => index % every === 0).map(({ date }) => date)}
        />
      </svg>
      <VisuallyHidden>
        <table>
          <caption>{label}</caption>
          <thead>
            <tr>
              <td />
              {series.map(({ label: name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map(({ date, counts }) => (
              <tr key={date}>
                <th scope="row">{shortDay(date)}</th>
                {series.map(({ label: name }, index) => (
                  <td key={name}>{counts[index] ?? 0}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  )
}

const compact = new Intl.NumberFormat('en', { notation: 'compact' })

const sum = (counts: number[]) => counts.reduce((all, count) => all + count, 0)

const total = (days: DayCounts[], index: number) =>
  sum(days.map(({ counts }) => counts[index] ?? 0))
