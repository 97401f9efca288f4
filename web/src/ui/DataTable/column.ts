import type { ReactNode } from 'react'

export interface Column<T> {
  id: string
  header: string
  /** The least it needs, in rem. */
  width: number
  /** On a telephone, where it shows less. */
  narrowWidth?: number
  /** Its share of the room that is left; none when not given. */
  grow?: number
  /** Numbers stand at the end, as in a ledger. */
  isNumber?: boolean
  /** A telephone has no room for it. */
  isWideOnly?: boolean
  cell: (row: T) => ReactNode
}

const selectWidth = 2.25
const gap = 0.75
const padding = 1

/** As `grid-template-columns` takes it, and how wide a row is at least. */
export function gridOf<T>(columns: Column<T>[], canSelect: boolean) {
  const tracks = columns.map(({ width, grow }) =>
    grow ? `minmax(${width}rem, ${grow}fr)` : `${width}rem`,
  )
  const first = canSelect ? selectWidth : 0
  const widths = columns.reduce((sum, { width }) => sum + width + gap, first + padding)
  return {
    template: canSelect ? `${selectWidth}rem ${tracks.join(' ')}` : tracks.join(' '),
    minWidth: `${widths}rem`,
  }
}

/** The columns that a telephone has room for. */
export const narrowColumns = <T>(columns: Column<T>[]): Column<T>[] =>
  columns
    .filter(({ isWideOnly }) => !isWideOnly)
    .map((column) => ({ ...column, width: column.narrowWidth ?? column.width }))
