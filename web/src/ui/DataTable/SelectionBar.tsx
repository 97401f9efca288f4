import { Button, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { isNothing, type Selection } from '../../lib/selection.ts'
import classes from './SelectionBar.module.css'

interface SelectionBarProps {
  selection: Selection
  /** How many, in words: an estimate says that it is one. */
  count: string
  onClear: () => void
  /** What can be done with them. */
  children: ReactNode
}

/** At the bottom of a list while something is chosen in it. */
export function SelectionBar({ selection, count, onClear, children }: SelectionBarProps) {
  const { t } = useTranslation()
  if (isNothing(selection)) return null
  return (
    <section className={classes.bar} aria-label={t(($) => $.table.selection)}>
      <span className={classes.count} role="status">
        {count}
      </span>
      <Group gap="xs">{children}</Group>
      <Button variant="subtle" size="xs" ml="auto" onClick={onClear}>
        {t(($) => $.table.clear)}
      </Button>
    </section>
  )
}
