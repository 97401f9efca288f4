import type { ReactNode } from 'react'
import classes from './Table.module.css'

interface TableProps {
  /** What its rows are. */
  label: string
  children: ReactNode
}

/**
 * Rows on hairlines. What a telephone has no room for is marked with the class `wide-only` in head
 * and rows; numbers and actions stand at the end with `end`.
 */
export const Table = ({ label, children }: TableProps) => (
  <table aria-label={label} className={classes.table}>
    {children}
  </table>
)
