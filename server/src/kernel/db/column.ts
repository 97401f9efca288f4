type Value = string | number | boolean | Date | null

/** One column of the rows that a statement unnests. */
export type Column = Value[]

/** Rows as columns: what `unnest` makes rows of again. */
export const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])

/** Nothing at all when every value is null: unnest fills the short column with nulls. */
export function columnOf<Row>(rows: readonly Row[], read: (row: Row) => Value): Column {
  const values = rows.map(read)
  return values.some((value) => value !== null) ? values : []
}
