import { Text, Title } from '@mantine/core'
import { Check } from 'lucide-react'
import { type ReactNode, Suspense } from 'react'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import classes from './ConnectStep.module.css'

interface ConnectStepProps {
  number: number
  title: string
  state: 'done' | 'now' | 'later'
  /** What was decided, once it is. */
  summary?: ReactNode
  /** What it shows is still worth a look once it is done. */
  stays?: boolean
  children?: ReactNode
}

/** One of the things to do, in their order: what is done is told in a line. */
export const ConnectStep = ({
  number,
  title,
  state,
  summary,
  stays = false,
  children,
}: ConnectStepProps) => (
  <li
    className={classes.step}
    data-state={state}
    aria-current={state === 'now' ? 'step' : undefined}
  >
    <span className={classes.number} aria-hidden>
      {state === 'done' ? <Check size="0.875rem" /> : number}
    </span>
    <div className={classes.content}>
      <Title order={2}>{title}</Title>
      {state === 'done' && summary && (
        <Text component="div" size="sm" c="dimmed">
          {summary}
        </Text>
      )}
      {(state === 'now' || (state === 'done' && stays)) && (
        <div className={classes.body}>
          <Suspense fallback={<LoadingRows rows={3} />}>{children}</Suspense>
        </div>
      )}
    </div>
  </li>
)
