/** Rows as columns: what `unnest` makes rows of again. */
export const column = <Row, Name extends keyof Row>(rows: Row[], name: Name): Row[Name][] =>
  rows.map((row) => row[name])
