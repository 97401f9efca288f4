import classes from './CountedOption.module.css'
import { shownCount } from './facet-counts.ts'

interface CountedOptionProps {
  value: string
  count: number | undefined
  isEstimate: boolean
}

/** A value of a filter, and how many contacts it would give. */
export function CountedOption({ value, count, isEstimate }: CountedOptionProps) {
  return (
    <span className={classes.option}>
      <span>{value}</span>
      {count !== undefined && (
        <span className={`${classes.count} numbers`}>{shownCount(count, isEstimate)}</span>
      )}
    </span>
  )
}
