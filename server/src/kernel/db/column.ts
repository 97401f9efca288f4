type Value = string | number | boolean | Date | null

/** One column of the rows that a statement unnests. */
export type Column = Value[]

/** Nothing at all when every value is null: unnest fills the short column with nulls. */
export function columnOf<Row>(rows: readonly Row[], read: (row: Row) => Value): Column {
  const column = rows.map(read)
  return column.some((value) => value !== null) ? column : []
}
