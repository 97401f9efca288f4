import { useTranslation } from 'react-i18next'
import { numberText } from '../../lib/number.ts'
import classes from './Counts.module.css'
import { type Outcome, skippedOf } from './outcome.ts'

interface CountsProps {
  outcome: Outcome
  /** What would be, and not what was. */
  isCheck?: boolean
}

/** Every row of the file is in one of these numbers. */
export function Counts({ outcome, isCheck = false }: CountsProps) {
  const { t } = useTranslation()
  const words = isCheck ? 'checked' : 'done'
  const counts = [
    ['added', outcome.added],
    ['updated', outcome.updated],
    ['skipped', skippedOf(outcome)],
    ['rows', outcome.rows],
  ] as const
  return (
    <dl className={classes.counts}>
      {counts.map(([name, count]) => (
        <div key={name}>
          <dt>{t(($) => $.imports.counts[words][name])}</dt>
          <dd>{numberText(count)}</dd>
        </div>
      ))}
    </dl>
  )
}
